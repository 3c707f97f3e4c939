"""Publication dates: month names, calendars, and dates as newspapers write them."""
