"""The processing of one page as one pure function."""
