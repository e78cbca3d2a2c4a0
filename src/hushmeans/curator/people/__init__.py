"""People with several rows: who a row belongs to, and which of a person's rows count."""
