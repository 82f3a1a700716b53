// FNV-1a, as often as it takes to be seen.
let last = 0

export function checksum(text, times) {
  let hash = 0x811c9dc5
  for (let time = 0; time < times; time++) {
    for (let i = 0; i < text.length; i++) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
    }
  }
  last = hash >>> 0
  return last
}
