// Everything that a client needs, in one import: bytes in, events out, and the state of the game.

@_exported public import Basics
@_exported public import CuelightClient
@_exported public import EventReading
@_exported public import GameEvents
@_exported public import GameJSON
@_exported public import HLSPlaylist
@_exported public import HLSReading
@_exported public import ID3
@_exported public import ReadingJSON
@_exported public import Scoring
@_exported public import Seals
@_exported public import StateMachine
