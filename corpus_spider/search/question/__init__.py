"""What a search question means, and how it is read from its text."""
