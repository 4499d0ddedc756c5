//! OpenWeatherMap.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("openWeatherMapApi", "OpenWeatherMap")
        .fields([Field::secret("accessToken", "Access token").required()])
        .query("appid", "{accessToken}")
        .base_url("https://api.openweathermap.org")
        .hosts(&["api.openweathermap.org", "*.openweathermap.org"])
}
