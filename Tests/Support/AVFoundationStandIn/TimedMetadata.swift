public import Foundation

// What the documentation's example uses of AVFoundation and Core Media, by the names that they have there, so that the example compiles and
// runs where there is no AVFoundation. Nothing here plays anything.

/// A moment.
public struct CMTime: Sendable {
  /// The moment in seconds.
  public let seconds: Double

  /// A moment; the time scale is passed over.
  public init(seconds: Double, preferredTimescale: Int32) { self.seconds = seconds }

  /// A moment of so many parts of a second.
  public init(value: Int64, timescale: Int32) { self.seconds = Double(value) / Double(timescale) }
}

/// A range of time.
public struct CMTimeRange: Sendable {
  /// When it begins.
  public let start: CMTime
  /// How long it lasts.
  public let duration: CMTime

  /// A range.
  public init(start: CMTime, duration: CMTime) { (self.start, self.duration) = (start, duration) }
}

/// What an item of metadata is.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
  /// The key space and the key.
  public let rawValue: String

  /// An identifier.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A `TXXX` frame of an ID3 tag.
  public static let id3MetadataUserText = AVMetadataIdentifier(rawValue: "id3/TXXX")
  /// A `TIT2` frame of an ID3 tag.
  public static let id3MetadataTitleDescription = AVMetadataIdentifier(rawValue: "id3/TIT2")
}

/// What else is said of an item.
public struct AVMetadataExtraAttributeKey: RawRepresentable, Hashable, Sendable {
  /// The key.
  public let rawValue: String

  /// A key.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The description of a `TXXX` frame.
  public static let info = AVMetadataExtraAttributeKey(rawValue: "info")
}

/// An item of metadata.
open class AVMetadataItem: NSObject {
  fileprivate var content: (identifier: AVMetadataIdentifier?, value: (any NSCopying & NSObjectProtocol)?) = (nil, nil)
  fileprivate var attributes: [AVMetadataExtraAttributeKey: Any]?

  /// What it is.
  open var identifier: AVMetadataIdentifier? { content.identifier }
  /// Its value, if that is a text.
  open var stringValue: String? { (content.value as? NSString).map { $0 as String } }
  /// What else is said of it.
  open var extraAttributes: [AVMetadataExtraAttributeKey: Any]? { attributes }
}

/// An item that can be filled.
open class AVMutableMetadataItem: AVMetadataItem {
  /// What it is.
  open override var identifier: AVMetadataIdentifier? {
    get { content.identifier }
    set { content.identifier = newValue }
  }
  /// Its value.
  open var value: (any NSCopying & NSObjectProtocol)? {
    get { content.value }
    set { content.value = newValue }
  }
  /// What else is said of it.
  open override var extraAttributes: [AVMetadataExtraAttributeKey: Any]? {
    get { attributes }
    set { attributes = newValue }
  }
}

/// Items that are due at the same time.
open class AVTimedMetadataGroup: NSObject {
  /// The items.
  public let items: [AVMetadataItem]
  /// When they are due.
  public let timeRange: CMTimeRange

  /// Items that are due at the same time.
  public init(items: [AVMetadataItem], timeRange: CMTimeRange) { (self.items, self.timeRange) = (items, timeRange) }
}

/// A track of what is played.
open class AVPlayerItemTrack: NSObject {}

/// Hands over something while a stream is played.
open class AVPlayerItemOutput: NSObject {}

/// Hands over metadata while a stream is played.
open class AVPlayerItemMetadataOutput: AVPlayerItemOutput {
  /// Who takes it.
  public private(set) weak var delegate: (any AVPlayerItemMetadataOutputPushDelegate)?

  /// An output of everything, where there are no identifiers.
  public init(identifiers: [String]?) {}

  /// Says who takes it, on which queue.
  open func setDelegate(_ delegate: (any AVPlayerItemMetadataOutputPushDelegate)?, queue delegateQueue: DispatchQueue?) {
    self.delegate = delegate
  }
}

/// What is played.
@MainActor open class AVPlayerItem: NSObject {
  /// The outputs of it.
  public private(set) var outputs: [AVPlayerItemOutput] = []

  /// Adds an output.
  open func add(_ output: AVPlayerItemOutput) { outputs.append(output) }
}

/// Plays.
@MainActor open class AVPlayer: NSObject {
  private var observers: [@Sendable (CMTime) -> Void] = []
  private var time = CMTime(value: 0, timescale: 1)

  /// Calls a block again and again while it plays.
  open func addPeriodicTimeObserver(
    forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
  ) -> Any {
    observers.append(block)
    return observers.count
  }

  /// The time that is shown.
  open func currentTime() -> CMTime { time }

  /// Plays up to a time: what the real one does by itself.
  public func play(to time: CMTime) {
    self.time = time
    for observer in observers { observer(time) }
  }
}

/// Takes metadata while a stream is played.
public protocol AVPlayerItemMetadataOutputPushDelegate: NSObjectProtocol {
  /// Groups of metadata are due.
  func metadataOutput(
    _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup], from track: AVPlayerItemTrack?)
}
