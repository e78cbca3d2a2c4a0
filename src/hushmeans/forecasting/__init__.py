"""What to expect of a fit before anything is spent."""

from hushmeans.forecasting.forecast import Forecast, forecast, forecast_of

__all__ = ["Forecast", "forecast", "forecast_of"]
