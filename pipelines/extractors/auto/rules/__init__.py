"""The rules that select blocks after the model."""
