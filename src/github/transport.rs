//! One request and its answer, over octocrab on a reqwest client of our own. It neither retries nor follows a redirect.

use super::address::{Address, line};
use super::answer::Answer;
use super::error::ApiError;
use super::settings::{ClientSettings, Timeouts, Token};
use http::{HeaderValue, Method, Uri, header};
use http_body_util::BodyExt;
use octocrab::service::middleware::auth_header::AuthHeaderLayer;
use octocrab::service::middleware::reqwest_connector::ReqwestConnector;
use octocrab::{AuthState, Octocrab, OctocrabBuilder};
use std::error::Error;
use std::time::Duration;

const USER_AGENT: &str = concat!("deadheat/", env!("CARGO_PKG_VERSION"));

/// Connections that a server may have closed meanwhile are not used: a POST must not be lost on one.
const IDLE: Duration = Duration::from_secs(10);

/// A request, ready to be sent as often as needed.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) method: Method,
    /// The whole address.
    pub(super) uri: String,
    pub(super) body: Option<&'a serde_json::Value>,
    /// How many bytes an answer may have.
    pub(super) limit: usize,
    /// What a good answer is.
    pub(super) wanted: Wanted,
}

/// What a good answer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// JSON to its end, or nothing where the status says so; a page of a proxy's is neither.
    Json,
    /// Any bytes.
    Bytes,
}

/// How a try ended.
#[derive(Debug)]
pub(super) enum Reply {
    /// With a whole answer.
    Answer(Answer),
    /// It certainly never arrived.
    Unsent(String),
    /// It was sent, and no whole answer came.
    Lost(String),
    /// The answer was too large.
    TooLarge,
    /// It cannot be sent at all.
    Unusable(String),
}

/// Whatever sends requests.
pub(super) struct Transport {
    http: reqwest::Client,
    origin: Uri,
    authorization: Option<HeaderValue>,
    timeouts: Timeouts,
}

impl Transport {
    pub(super) fn new(settings: &ClientSettings, api: &Address) -> Result<Self, ApiError> {
        let authorization = settings.token.as_ref().map(authorization).transpose()?;
        let unusable = |what: &str, reason| ApiError::Unusable { what: what.to_owned(), reason };
        let timeouts = settings.timeouts;
        let http = client(api.loopback, &timeouts)
            .timeout(timeouts.total)
            .build()
            .map_err(|error| unusable("the HTTP client", innermost(&error)))?;
        let origin = api.origin.parse().map_err(|_| unusable("the API's root", "it is no address".to_owned()))?;
        Ok(Self { http, origin, authorization, timeouts })
    }

    /// Octocrab without its defaults, which would name a second user agent. It is made for each request, on the runtime
    /// that the request runs on, since it starts a task of its own; what is dear, the connections, is kept below it.
    fn octocrab(&self) -> Octocrab {
        // The token goes to this origin alone.
        let token = AuthHeaderLayer::new(self.authorization.clone(), self.origin.clone(), self.origin.clone());
        let built = OctocrabBuilder::new_empty()
            .with_service(ReqwestConnector::new(self.http.clone()))
            .with_layer(&token)
            .with_auth(AuthState::None)
            .build();
        match built {
            Ok(octocrab) => octocrab,
            Err(never) => match never {},
        }
    }

    /// Sends a request once.
    pub(super) async fn send(&self, request: &Request<'_>) -> Reply {
        let octocrab = self.octocrab();
        let builder = http::Request::builder()
            .method(request.method.clone())
            .uri(&request.uri)
            .header(header::ACCEPT, "application/vnd.github+json");
        let built = match octocrab.build_request(builder, request.body) {
            Ok(built) => built,
            Err(error) => return Reply::Unusable(line(&error.to_string())),
        };
        let (parts, mut body) = match octocrab.execute(built).await {
            Ok(response) => response.into_parts(),
            Err(error) => return failed(&error, &self.timeouts),
        };
        let mut answer = Answer { status: parts.status, headers: parts.headers, body: Vec::new() };
        while let Some(frame) = body.frame().await {
            match frame {
                Ok(frame) => {
                    let data = frame.into_data().unwrap_or_default();
                    if answer.body.len() + data.len() > request.limit {
                        // What an error says at length is not needed whole.
                        return if answer.status.is_success() { Reply::TooLarge } else { Reply::Answer(answer) };
                    }
                    answer.body.extend_from_slice(&data);
                }
                // The status of a refusal says enough.
                Err(_) if !answer.status.is_success() => return Reply::Answer(answer),
                Err(error) => return Reply::Lost(reason(&error, &self.timeouts)),
            }
        }
        if request.wanted == Wanted::Bytes || answer.is_whole() {
            Reply::Answer(answer)
        } else {
            Reply::Lost("the answer is no whole JSON".to_owned())
        }
    }
}

/// The token as a header, where it can be one.
fn authorization(token: &Token) -> Result<HeaderValue, ApiError> {
    let text = token.expose();
    let value = HeaderValue::from_str(&format!("Bearer {text}"))
        .ok()
        .filter(|_| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()));
    let mut value = value.ok_or_else(|| ApiError::Unusable {
        what: "the token".to_owned(),
        reason: "it is empty or holds a space, a line break or another character that no token has".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// What every client of ours has in common. Redirects are followed by those who look where they lead.
pub(super) fn client(loopback: bool, timeouts: &Timeouts) -> reqwest::ClientBuilder {
    // Somebody else may have installed one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(timeouts.connect)
        .read_timeout(timeouts.read)
        .pool_idle_timeout(IDLE)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false);
    // What is on this machine is not reached through somebody else's.
    if loopback { builder.no_proxy() } else { builder }
}

fn failed(error: &octocrab::Error, timeouts: &Timeouts) -> Reply {
    match reqwest_error(error) {
        Some(cause) if cause.is_builder() => Reply::Unusable(innermost(cause)),
        Some(cause) if cause.is_connect() => Reply::Unsent(reason(error, timeouts)),
        _ => Reply::Lost(reason(error, timeouts)),
    }
}

fn reqwest_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a reqwest::Error> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref::<reqwest::Error>() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}

/// Why a request failed, without its address: that of an artifact is a secret.
pub(super) fn reason(error: &(dyn Error + 'static), timeouts: &Timeouts) -> String {
    match reqwest_error(error) {
        Some(cause) if cause.is_timeout() && cause.is_connect() => {
            format!("no connection within {} s", timeouts.connect.as_secs_f64())
        }
        Some(cause) if cause.is_timeout() => "no answer in time".to_owned(),
        Some(cause) if cause.is_connect() => format!("no connection: {}", innermost(cause)),
        _ => innermost(error),
    }
}

/// What lies at the bottom of an error, without any address.
pub(super) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    line(&last.to_string())
}
