"""When a page was published: month names, calendars, and dates as newspapers write them."""
