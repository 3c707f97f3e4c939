"""The commands: one module per group of verbs. Each verb calls one function of a package below."""
