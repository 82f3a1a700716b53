// FNV-1a over as many characters as asked for, round and round the text.
let last = 0

export function checksum(text, characters) {
  let hash = 0x811c9dc5
  for (let i = 0, at = 0; i < characters; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    at = at + 1 === text.length ? 0 : at + 1
  }
  last = hash >>> 0
  return last
}
