"""Dates in text: calendars, months, ages, labels."""
