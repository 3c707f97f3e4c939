"""The places where a question is found: their number, samples of them, and lines around them."""
