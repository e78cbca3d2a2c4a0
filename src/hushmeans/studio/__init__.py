"""The studio: plan, spend and publish in the browser of the person who holds the records."""
