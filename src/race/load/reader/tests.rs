use super::*;
use proptest::prelude::*;

/// Complete answers with their bodies, and whether the reader is in the middle of another.
type Found = (Vec<(Answer, Vec<u8>)>, bool);

/// What a reader makes of pieces.
fn read(pieces: &[&[u8]], is_head: bool) -> Result<Found, BadAnswer> {
    let mut reader = AnswerReader::default();
    let mut answers = Vec::new();
    for piece in pieces {
        let mut rest = *piece;
        while !rest.is_empty() {
            let Step::Complete(used, answer) = reader.read(rest, is_head, || true)? else { break };
            let sample = reader.take_sample().unwrap();
            assert_eq!(sample.with(|head, _| head.status()), Some(answer.status));
            answers.push((answer, sample.body));
            rest = &rest[used..];
        }
    }
    let in_the_middle = !reader.is_untouched();
    if let Some(answer) = reader.end() {
        answers.push((answer, reader.take_sample().unwrap().body));
    }
    Ok((answers, in_the_middle))
}

fn one(text: &str) -> (u16, String, bool) {
    let (answers, in_the_middle) = read(&[text.as_bytes()], false).unwrap();
    assert_eq!((answers.len(), in_the_middle), (1, false), "{text:?}");
    let (answer, body) = &answers[0];
    assert_eq!(answer.length, body.len() as u64);
    (answer.status, String::from_utf8(body.clone()).unwrap(), answer.close)
}

#[test]
fn every_form_of_an_answer_is_read() {
    let own = |status, body: &str, close| (status, body.to_owned(), close);
    assert_eq!(one("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), own(200, "hi", false));
    assert_eq!(one("HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n"), own(200, "", false));
    assert_eq!(one("HTTP/1.1 204 No Content\r\n\r\n"), own(204, "", false));
    assert_eq!(one("HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n"), own(304, "", false));
    assert_eq!(one("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 100 C\r\n\r\nHTTP/1.1 204 N\r\n\r\n").0, 204);
    assert_eq!(one("HTTP/1.1 101 Switching\r\n\r\n"), own(101, "", true));
    assert_eq!(one("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"), own(200, "x", true));
    assert_eq!(one("HTTP/1.1 200 OK\r\nConnection: a, Close\r\nContent-Length: 1\r\n\r\nx"), own(200, "x", true));
    assert_eq!(one("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"), own(200, "x", true));
    assert_eq!(one("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx"), own(200, "x", false));
    assert_eq!(one("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx"), own(200, "x", false));
    let chunked = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n";
    assert_eq!(one(&format!("{chunked}2;a=b\r\nhi\r\n1\r\n!\r\n0\r\nT: u\r\n\r\n")), own(200, "hi!", false));
}

#[test]
fn a_body_may_end_with_the_connection() {
    for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 1\r\n\r\n"] {
        let (answers, in_the_middle) = read(&[head.as_bytes(), b"all ", b"of it"], false).unwrap();
        assert!(in_the_middle);
        assert_eq!(answers, [(Answer { status: 200, length: 9, close: true }, b"all of it".to_vec())]);
    }
}

#[test]
fn an_answer_to_head_has_no_body() {
    let text = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 404 N\r\nTransfer-Encoding: chunked\r\n\r\n";
    let (answers, _) = read(&[text], true).unwrap();
    let found: Vec<_> = answers.iter().map(|(answer, _)| (answer.status, answer.length)).collect();
    assert_eq!(found, [(200, 0), (404, 0)]);
}

#[test]
fn what_is_no_answer_is_refused() {
    let refuse = |text: &[u8]| read(&[text], false).unwrap_err();
    assert!(matches!(refuse(b"SSH-2.0-OpenSSH\r\n"), BadAnswer::Head(_)));
    assert!(matches!(refuse(b"HTTP/2.0 200 OK\r\n\r\n"), BadAnswer::Head(_)));
    assert!(matches!(refuse(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), BadAnswer::Framing(_)));
    assert!(matches!(
        refuse(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
        BadAnswer::Framing(_)
    ));
    assert!(matches!(refuse(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx"), BadAnswer::Framing(_)));
    assert_eq!(refuse(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"), BadAnswer::BodyTooLong);
    assert_eq!(BadAnswer::BodyTooLong.kind(), ErrorKind::Length);
    let line = [b"A: ".as_slice(), &[b'x'; 1_000], b"\r\n"].concat();
    let endless = [b"HTTP/1.1 200 OK\r\n".as_slice(), &line.repeat(100)].concat();
    assert_eq!(refuse(&endless), BadAnswer::HeadTooLong);
    let pieces: Vec<&[u8]> = endless.chunks(700).collect();
    assert_eq!(read(&pieces, false).unwrap_err(), BadAnswer::HeadTooLong);
    let many = [b"HTTP/1.1 200 OK\r\n".as_slice(), &b"A: b\r\n".repeat(200), b"\r\n"].concat();
    assert!(matches!(refuse(&many), BadAnswer::Head(httparse::Error::TooManyHeaders)));
}

#[test]
fn an_endless_body_is_cut_off() {
    let mut reader = AnswerReader::default();
    let piece = vec![b'x'; 1 << 20];
    assert_eq!(reader.read(b"HTTP/1.1 200 OK\r\n\r\n", false, || false), Ok(Step::More));
    for _ in 0..64 {
        assert_eq!(reader.read(&piece, false, || false), Ok(Step::More));
    }
    assert_eq!(reader.read(&piece, false, || false), Err(BadAnswer::BodyTooLong));
}

/// One answer as bytes, and what must be read of it.
fn any_answer() -> impl Strategy<Value = (Vec<u8>, (Answer, Vec<u8>))> {
    let body = proptest::collection::vec(any::<u8>(), 0..40);
    let chunks = proptest::collection::vec((1_usize..9, "[ -~é]{0,3}"), 0..5);
    (200_u16..599, body, chunks, any::<bool>(), 0..3_usize).prop_map(|(status, body, chunks, is_chunked, interim)| {
        let mut bytes = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n".repeat(interim);
        bytes.extend_from_slice(format!("HTTP/1.1 {status} Some Words\r\nDate: today\r\n").as_bytes());
        let body = if status == 204 || status == 304 { Vec::new() } else { body };
        if is_chunked && status != 204 && status != 304 {
            bytes.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
            let mut rest = body.as_slice();
            for (size, extension) in chunks {
                let (chunk, after) = rest.split_at(size.min(rest.len()));
                rest = after;
                if !chunk.is_empty() {
                    bytes.extend_from_slice(format!("{:x};{extension}\r\n", chunk.len()).as_bytes());
                    bytes.extend_from_slice(&[chunk, b"\r\n"].concat());
                }
            }
            if !rest.is_empty() {
                bytes.extend_from_slice(format!("{:X}\r\n", rest.len()).as_bytes());
                bytes.extend_from_slice(&[rest, b"\r\n"].concat());
            }
            bytes.extend_from_slice(b"0\r\nX-Sum: 1\r\n\r\n");
        } else {
            bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
            bytes.extend_from_slice(&body);
        }
        (bytes, (Answer { status, length: body.len() as u64, close: false }, body))
    })
}

proptest! {
    #[test]
    fn answers_are_the_same_wherever_they_are_cut(answer in any_answer(), next in any_answer()) {
        let bytes = [answer.0, next.0].concat();
        let expected = Ok((vec![answer.1, next.1], false));
        prop_assert_eq!(&read(&[&bytes], false), &expected);
        for place in 0..=bytes.len() {
            let (before, after) = bytes.split_at(place);
            prop_assert_eq!(&read(&[before, after], false), &expected, "cut at {}", place);
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(&read(&single, false), &expected);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0_usize..200) {
        let framed = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".as_slice(), &bytes].concat();
        for bytes in [&bytes, &framed] {
            let (before, after) = bytes.split_at(cut.min(bytes.len()));
            prop_assert_eq!(read(&[before, after], false).map_err(BadAnswer::kind), read(&[bytes], false).map_err(BadAnswer::kind));
        }
    }
}
