// What a producer needs, in one import: questions and cue sheets in, stamped streams out.

@_exported public import CueSheet
@_exported public import EventSchedule
@_exported public import GameEvents
@_exported public import HLSPlaylist
@_exported public import MediaTime
@_exported public import PacketStamping
@_exported public import QuestionBank
@_exported public import QuizFiles
@_exported public import SheetSyntax
@_exported public import ShowPlanning
@_exported public import Stamping
