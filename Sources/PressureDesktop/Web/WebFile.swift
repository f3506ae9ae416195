internal import CPage
internal import PressureSystem

/// A file that a page consists of: part of the program, or of the folder of `--page`.
struct WebFile {
  let type: String
  let bytes: [UInt8]

  /// The largest file of a folder.
  private static let sizeLimit = 16 << 20

  private static let types = [
    "html": "text/html", "js": "text/javascript", "mjs": "text/javascript", "css": "text/css",
    "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg",
    "woff2": "font/woff2", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "ico": "image/x-icon", "wasm": "application/wasm", "wav": "audio/wav", "mp3": "audio/mpeg",
    "ogg": "audio/ogg", "txt": "text/plain", "csv": "text/csv",
  ]
}

extension WebFile {
  /// The file at a path of a folder, or of this program, which always has the module; nil if there is none.
  init?(at path: String, in folder: String?) {
    if let folder, path != "/pressured.js" {
      self.init(in: folder, path == "/" ? "/index.html" : path)
      return
    }
    guard let file = pressured_page_file(path)?.pointee else { return nil }
    let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    self.init(type: String(cString: file.type), bytes: bytes)
  }

  private init?(in folder: String, _ path: String) {
    let parts = path.utf8.dropFirst().split(separator: 0x2f, omittingEmptySubsequences: false)
    let names = parts.compactMap(WebFile.decoded)
    // Neither hidden files nor the folder above.
    guard names.count == parts.count, names.allSatisfy({ !$0.isEmpty && $0.utf8.first != 0x2e }),
      let ending = names.last?.split(separator: ".", omittingEmptySubsequences: false),
      ending.count > 1, let type = WebFile.types[ending[ending.count - 1].lowercased()],
      let bytes = try? InputFile.read(
        ([folder] + names).joined(separator: "/"), limit: WebFile.sizeLimit)
    else { return nil }
    self.init(type: type.hasPrefix("text/") ? "\(type); charset=utf-8" : type, bytes: bytes)
  }

  /// The name of a file or folder in a path, with `%XX` decoded; nil if that is not one name.
  private static func decoded(_ part: Substring.UTF8View) -> String? {
    let parts = part.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    var bytes = Array(parts[0])
    for rest in parts.dropFirst() {
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.first != UInt8(ascii: "+"),
        let value = UInt8(String(Substring(digits)), radix: 16), value != 0, value != 0x2f
      else { return nil }
      bytes.append(value)
      bytes += rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
