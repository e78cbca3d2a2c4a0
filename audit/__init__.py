"""Does it keep its promise? Measured from outside, by somebody who knows all records but one."""
