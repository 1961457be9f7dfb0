/// The size of a picture in pixels, after cropping.
package struct PictureSize: Hashable, Sendable {
  /// Pixels in a row.
  package var width: Int
  /// Rows.
  package var height: Int
}
