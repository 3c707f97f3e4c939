"""A small news site in five languages, written for this project and served on loopback, to try everything on.

Articles are text files in ``articles/<language>/``: the true text of every page lies beside it. Looks are templates.
"""
