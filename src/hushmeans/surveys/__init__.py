"""Private answers before a fit, debited like one."""
