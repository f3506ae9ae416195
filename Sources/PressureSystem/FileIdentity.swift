internal import Glibc

/// Which file it is, whatever its name: its device and its number there.
package struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t

  /// The file under a name, itself where it is a symbolic link; nil where there is none.
  package init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The file behind a descriptor.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    (device, number) = (status.st_dev, status.st_ino)
  }

  /// Removes the name, unless another file has taken it meanwhile.
  package func remove(at path: String) {
    if FileIdentity(at: path) == self { unlink(path) }
  }
}
