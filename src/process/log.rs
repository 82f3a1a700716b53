//! What a child printed, made fit to be shown: the end of it, as text, without escapes and control characters.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The last `max_bytes` of a log, from a whole line on where there is one. An empty text where there is no log.
pub fn tail(path: &Path, max_bytes: u64) -> io::Result<String> {
    tail_from(path, 0, max_bytes)
}

/// As [`tail`], but nothing that was in the log before `offset`.
pub fn tail_from(path: &Path, offset: u64, max_bytes: u64) -> io::Result<String> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    let start = offset.min(length).max(length.saturating_sub(max_bytes));
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    // The child may still be printing.
    file.take(max_bytes).read_to_end(&mut bytes)?;
    let cut = start > offset;
    let whole_lines = match bytes.iter().position(|&byte| byte == b'\n') {
        Some(end) if cut && end + 1 < bytes.len() => bytes.split_off(end + 1),
        _ => bytes,
    };
    Ok(plain_text(&whole_lines))
}

/// Text without ANSI escapes; line ends become newlines and other control characters U+FFFD.
pub fn plain_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\x1b' => skip_escape(&mut characters),
            '\r' => {
                // A progress bar goes back to the line's start; a line each is at least readable.
                if characters.peek() != Some(&'\n') {
                    plain.push('\n');
                }
            }
            '\n' | '\t' => plain.push(character),
            other if other.is_control() => plain.push('\u{fffd}'),
            other => plain.push(other),
        }
    }
    plain
}

/// Consumes what follows an escape character: a control sequence, a string such as a title or link, or one character.
fn skip_escape(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match characters.peek() {
        Some('[') => {
            characters.next();
            while let Some(&next) = characters.peek() {
                // Parameters and intermediates, then one final character; anything else is a broken sequence.
                if !(' '..='~').contains(&next) {
                    return;
                }
                characters.next();
                if ('@'..='~').contains(&next) {
                    return;
                }
            }
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            characters.next();
            while let Some(next) = characters.next_if(|&next| next != '\n') {
                if next == '\x07' {
                    return;
                }
                if next == '\x1b' {
                    characters.next_if_eq(&'\\');
                    return;
                }
            }
        }
        Some(next) if next.is_control() => {}
        Some(_) => {
            characters.next();
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_go_and_controls_are_replaced() {
        for (printed, shown) in [
            ("\x1b[1;31merror\x1b[0m: no\tway\r\n", "error: no\tway\n"),
            ("10 %\r20 %\rdone\n", "10 %\n20 %\ndone\n"),
            ("\x1b]0;title\x07text", "text"),
            ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("a\x00b\x08c\x7f", "a\u{fffd}b\u{fffd}c\u{fffd}"),
            ("\x1b", ""),
            ("\x1b[", ""),
            ("\x1b[31\nnext", "\nnext"),
            ("\x1b]open\nnext", "\nnext"),
            ("\x1bcreset", "reset"),
            ("\u{9b}31mred", "\u{fffd}31mred"),
        ] {
            assert_eq!(plain_text(printed.as_bytes()), shown, "{printed:?}");
        }
        assert_eq!(plain_text(b"\xff\xfeok"), "\u{fffd}\u{fffd}ok");
    }

    #[test]
    fn the_tail_begins_with_a_whole_line_and_after_the_offset() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        assert_eq!(tail(&path, 10).unwrap(), "");
        std::fs::write(&path, "first line\nsecond line\nthird\n").unwrap();
        assert_eq!(tail(&path, 1000).unwrap(), "first line\nsecond line\nthird\n");
        assert_eq!(tail(&path, 12).unwrap(), "third\n");
        assert_eq!(tail(&path, 3).unwrap(), "rd\n");
        assert_eq!(tail_from(&path, 11, 1000).unwrap(), "second line\nthird\n");
        assert_eq!(tail_from(&path, 99, 1000).unwrap(), "");
        assert_eq!(tail(&path, 0).unwrap(), "");
    }

    #[test]
    fn a_log_of_one_endless_line_still_has_a_tail() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "ä".repeat(100)).unwrap();
        assert_eq!(tail(&path, 5).unwrap(), "\u{fffd}ää");
    }

    proptest! {
        #[test]
        fn nothing_that_could_steer_a_terminal_remains(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let text = plain_text(&bytes);
            prop_assert!(text.chars().all(|character| !character.is_control() || matches!(character, '\n' | '\t')));
        }

        #[test]
        fn plain_text_stays_as_it_is(text in "[a-zäöü \n\t]*") {
            prop_assert_eq!(plain_text(text.as_bytes()), text);
        }
    }
}
