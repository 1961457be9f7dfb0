// What a producer needs, in one import: questions and cue sheets in, stamped streams out.

@_exported public import Basics
@_exported public import CueSheet
@_exported public import EventSchedule
@_exported public import GameEvents
@_exported public import HLSPlaylist
@_exported public import PacketStamping
@_exported public import Questions
@_exported public import Seals
@_exported public import Sheets
@_exported public import ShowPlanning
@_exported public import Stamping
