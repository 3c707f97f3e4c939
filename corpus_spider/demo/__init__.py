"""A small news site in five languages, written for this project and served on loopback, to try the program.

Articles are text files in ``articles/<language>/``, which are also the true texts. Layouts are in ``templates/``.
"""
