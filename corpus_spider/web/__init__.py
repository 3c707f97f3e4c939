"""`corpus-spider serve`: a read-only web page over one corpus. Starlette, Jinja2 and uvicorn, the extra `web`."""
