"""Traffic that another program recorded: read from a HAR, sorted, and judged without sending anything."""
