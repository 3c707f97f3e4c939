"""The seed papers: BTE, R2L and DANA, Thai blocks. Each module follows its paper step by step."""
