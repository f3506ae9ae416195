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
    "woff2": "font/woff2",
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
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    // Neither hidden files nor the folder above.
    guard parts.allSatisfy({ !$0.isEmpty && $0.first != "." }), let name = parts.last,
      let dot = name.lastIndex(of: "."), let type = WebFile.types[String(name[dot...].dropFirst())],
      let bytes = try? InputFile.read(folder + path, limit: WebFile.sizeLimit)
    else { return nil }
    self.init(type: type.hasPrefix("text/") ? "\(type); charset=utf-8" : type, bytes: bytes)
  }
}
