"""What the command line asks of an export, read and refused where nothing could come of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpus_spider.dump import Dump
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.quality_rules import Rules


def _refuse_mistakes(languages: Iterable[str], since: str | None, until: str | None) -> None:
    """Refuse what no document can meet: it would be a dump of nothing, and nobody would see why."""
    _refuse_languages(languages, "--language")
    if since and until and since > until:
        raise ConfigError(f"{since} is after --until, {until}", where="--since")


def _refuse_languages(codes: Iterable[str], where: str) -> None:
    from corpus_spider.config_values import language_code

    for problem in filter(None, map(language_code, sorted(codes))):
        raise ConfigError(problem, where=where)


def request(options: dict[str, Any]) -> Dump:
    """Turn the options of the command line into a wish; days are inclusive."""
    from storage.holdings import Selection

    since, until = (options[name].date().isoformat() if options[name] else None for name in ("since", "until"))
    _refuse_mistakes(options["languages"], since, until)
    selection = Selection(
        languages=options["languages"],
        sites=options["sites"],
        since=since,
        until=until,
        min_chars=options["min_chars"],
        include_duplicates=options["include_duplicates"],
        versions=options["versions"],
        min_confidence=options["min_confidence"],
        without_reserved=options["without_reserved"],
        without_mixed=options["without_mixed"],
        representative=options["representative"],
        sample=_sample(options["sample"]) if options["sample"] else None,
    )
    wanted = Dump(
        options["target"] or "", selection, options["format_name"], options["overwrite"], options["require_licence"]
    )
    shard = _shard_size(options["shard_size"]) if options["shard_size"] else 0
    release = bool(options["release"] or options["shard_size"] or options["since_dump"])
    more = {"release": release, "shard_size": shard, "since_dump": options["since_dump"]}
    more["without_recurring"] = bool(options["without_recurring"])
    if options["quality"]:
        more["quality"] = _quality(options["quality"])
    return replace(wanted, require_licence=options["require_licence"], folds=_folds(options["fold"]), **more)


def _shard_size(text: str) -> int:
    from corpus_spider.config_values import WrongValueError, parse_size

    try:
        return parse_size(text)
    except WrongValueError as problem:
        raise ConfigError(str(problem), where="--shard-size") from None


def _quality(text: str) -> Rules:
    from pipelines.quality_rules import DEFAULT, rules

    wanted = rules(text)
    _refuse_languages(set(wanted.by_language) - {DEFAULT}, text)
    return wanted


def _sample(text: str) -> tuple[float, float]:
    """Read ``10%`` or ``10%-100%`` as from and to how many per cent."""
    found = re.fullmatch(r"(?:(\d{1,3}(?:\.\d{1,6})?)%-)?(\d{1,3}(?:\.\d{1,6})?)%", text.replace(" ", ""))
    low, high = (float(found[1] or 0), float(found[2])) if found else (0.0, 0.0)
    if not low < high <= 100:
        raise ConfigError(f'expected a part such as "10%" or "10%-100%", got "{text[:40]}"', where="--sample")
    return low, high


def _folds(text: str | None) -> tuple[str, ...]:
    from pipelines.folds import FOLDS

    names = tuple(dict.fromkeys(name.strip() for name in (text or "").split(",") if name.strip()))
    for name in names:
        if name not in FOLDS:
            raise ConfigError(f"there is no fold {name!r}", where="--fold", do=f"Folds: {', '.join(FOLDS)}.")
    return tuple(sorted(names))
