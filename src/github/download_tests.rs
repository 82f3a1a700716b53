//! Artifacts, from a server that sends the reader to another one.

use super::testing::{Says, Server, client, client_of, run, says, says_with, settings};
use super::{ApiError, ArtifactId};

const PATH: &str = "GET /repos/o/r/actions/artifacts/9/zip";
const ARCHIVE: &[u8] = b"PK\x03\x04 \xff\x00";

fn sends_to(location: &str) -> Says {
    says_with(302, &[("location", location)], "")
}

fn download(server: &Server, limit: usize) -> Result<Vec<u8>, ApiError> {
    run(client(server).0.download_artifact(ArtifactId(9), limit))
}

#[test]
fn the_token_stays_at_home() {
    let last = Server::saying(vec![says(200, ARCHIVE)]);
    let storage = Server::saying(vec![sends_to(&format!("{}/last?sig=secret", last.origin()))]);
    let server = Server::saying(vec![sends_to(&format!("{}/first?sig=secret", storage.origin()))]);
    assert_eq!(download(&server, 100).unwrap(), ARCHIVE);
    assert_eq!(server.lines(), [PATH]);
    assert_eq!(server.received()[0].header("authorization"), ["Bearer ghs_token"]);
    assert_eq!(
        (storage.lines(), last.lines()),
        (vec!["GET /first?sig=secret".to_owned()], vec!["GET /last?sig=secret".to_owned()])
    );
    for request in storage.received().iter().chain(&last.received()) {
        assert!(!format!("{request:?}").contains("ghs_token"), "{request:?}");
        assert!(request.header("authorization").is_empty());
    }
}

#[test]
fn no_more_is_read_than_allowed() {
    let storage = Server::saying(vec![says(200, vec![0; 1001])]);
    let server = Server::saying(vec![sends_to(&storage.origin())]);
    let error = download(&server, 1000).unwrap_err();
    assert!(matches!(error, ApiError::TooLarge { limit: 1000, .. }), "{error}");
    assert_eq!(download(&server, 1001).unwrap().len(), 1001);
    // Where the API itself answers with the archive, the same holds.
    let server = Server::saying(vec![says(200, vec![0; 1001])]);
    assert!(matches!(download(&server, 1000).unwrap_err(), ApiError::TooLarge { limit: 1000, .. }));
    assert_eq!(download(&server, 1001).unwrap().len(), 1001);
}

#[test]
fn a_failed_download_asks_for_a_fresh_address() {
    let storage =
        Server::saying(vec![says(403, "<Error>expired</Error>"), Says::Cut("half"), Says::Close, says(200, ARCHIVE)]);
    let server = Server::saying(vec![sends_to(&format!("{}/?sig=secret", storage.origin()))]);
    let (client, pace) = client(&server);
    assert_eq!(run(client.download_artifact(ArtifactId(9), 100)).unwrap(), ARCHIVE);
    assert_eq!((server.lines().len(), storage.lines().len(), pace.seconds()), (4, 4, vec![1, 2, 4]));
    assert!(pace.reasons()[0].starts_with("its storage answered 403"));

    let storage = Server::saying(vec![Says::Cut("half")]);
    let server = Server::saying(vec![sends_to(&format!("{}/?sig=secret", storage.origin()))]);
    let error = download(&server, 100).unwrap_err();
    assert!(matches!(error, ApiError::Unreachable { attempts: 5, .. }), "{error}");
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[test]
fn an_expired_artifact_is_not_found() {
    let server = Server::saying(vec![says(410, r#"{"message": "Artifact has expired"}"#)]);
    let error = download(&server, 100).unwrap_err();
    assert!(error.is_not_found(), "{error}");
    assert_eq!(server.lines().len(), 1);
}

#[test]
fn only_https_is_followed_past_this_machine() {
    for location in ["http://192.0.2.1/a?sig=secret", "file:///etc/passwd", "ftp://127.0.0.1/", "nowhere", "https://"] {
        let server = Server::saying(vec![sends_to(location)]);
        let error = download(&server, 100).unwrap_err();
        assert!(matches!(error, ApiError::Unreadable { .. }), "{location}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    // And nothing is followed for ever.
    let storage = Server::with(|_, _| says_with(307, &[("location", "/again")], ""));
    let server = Server::saying(vec![sends_to(&storage.origin())]);
    let error = download(&server, 100).unwrap_err();
    assert!(error.to_string().ends_with("its storage moved it too often"), "{error}");
    assert_eq!(storage.lines().len(), 4);
    let storage = Server::saying(vec![says(302, "")]);
    let server = Server::saying(vec![sends_to(&storage.origin())]);
    assert!(download(&server, 100).unwrap_err().to_string().ends_with("its storage moved it to no address"));
}

#[test]
fn a_download_that_hangs_is_given_up_in_time() {
    let storage = Server::saying(vec![Says::Hang, says(200, ARCHIVE)]);
    let server = Server::saying(vec![sends_to(&storage.origin())]);
    let mut settings = settings(&server.origin());
    settings.timeouts.download = std::time::Duration::from_millis(150);
    let (client, pace) = client_of(settings);
    assert_eq!(run(client.download_artifact(ArtifactId(9), 100)).unwrap(), ARCHIVE);
    assert_eq!(pace.reasons(), [format!("no answer in time ({PATH})")]);
}
