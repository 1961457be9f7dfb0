import Basics

/// User data in an SEI message that is no tag of timed metadata (ISO/IEC 14496-10, D.1.6 and D.1.7).
package struct UserData: Equatable, Sendable {
  /// Whose data it is.
  package enum Owner: Equatable, Sendable {
    /// user_data_unregistered, with its UUID.
    case unregistered(uuid: [UInt8])
    /// user_data_registered_itu_t_t35: the country, the provider (in the United States), and the provider's code of four characters if it has one.
    case registered(country: UInt8, provider: UInt16?, code: [UInt8])
  }

  /// Whose data it is.
  package var owner: Owner
  /// The size of the message's payload in bytes.
  package var byteCount: Int

  /// The country code of the United States (ITU-T T.35).
  package static let unitedStates: UInt8 = 0xB5

  /// User data of an owner.
  package init(_ owner: Owner, byteCount: Int) { (self.owner, self.byteCount) = (owner, byteCount) }

  /// Reads the payload of an SEI message; `nil` if it is no user data, or that of a tag.
  init?(payloadType: Int, _ payload: Span<UInt8>) {
    var reader = ByteReader(payload)
    byteCount = payload.count
    switch payloadType {
    case 4:
      guard let country = try? reader.readUInt8(), country != 0xFF || (try? reader.skip(1)) != nil else { return nil }
      let provider = country == Self.unitedStates ? try? reader.readUInt16() : nil
      owner = .registered(country: country, provider: provider, code: provider == nil ? [] : (try? reader.readBytes(4)) ?? [])
    case 5:
      guard let uuid = try? reader.readBytes(16), uuid != TagMessage.uuid else { return nil }
      owner = .unregistered(uuid: uuid)
    default: return nil
    }
  }

  /// The name of the data, if it is known.
  package var name: String? {
    switch owner {
    case .registered(Self.unitedStates, 0x31, let code):
      if code == Array("GA94".utf8) {
        "captions (ATSC A/53)"
      } else if code == Array("DTG1".utf8) {
        "active format description"
      } else {
        nil
      }
    case .registered(Self.unitedStates, 0x2F, _): "DIRECTV user data"
    case .registered(Self.unitedStates, 0x3C, _): "HDR10+"
    case .registered: nil
    case .unregistered(let uuid):
      uuid == Self.x264 ? "x264 encoder settings" : uuid == Self.x265 ? "x265 encoder settings" : nil
    }
  }

  private static let x264: [UInt8] = [0xDC, 0x45, 0xE9, 0xBD, 0xE6, 0xD9, 0x48, 0xB7, 0x96, 0x2C, 0xD8, 0x20, 0xD9, 0x23, 0xEE, 0xEF]
  private static let x265: [UInt8] = [0x2C, 0xA2, 0xDE, 0x09, 0xB5, 0x17, 0x47, 0xDB, 0xBB, 0x55, 0xA4, 0xFE, 0x7F, 0xC2, 0xFC, 0x4E]
}

extension AccessUnitHead {
  /// The user data in front of the first slice that is no tag, once the slice was found.
  package var userData: [UserData] {
    units.filter { codec.isMessage(bytes[$0.lowerBound]) }
      .flatMap { unit in
        var found: [UserData] = []
        TagMessage.forEachPayload(in: bytes.view.extracting(unit), codec) { type, payload, _ in
          if let data = UserData(payloadType: type, payload) { found.append(data) }
        }
        return found
      }
  }
}
