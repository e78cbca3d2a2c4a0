"""Forecasting the noise of a fit before any budget is spent."""

from hushmeans.forecasting.forecast import Forecast, forecast, forecast_of

__all__ = ["Forecast", "forecast", "forecast_of"]
