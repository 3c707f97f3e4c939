"""Figures of one page: the numbers that decided the extraction of its text."""
