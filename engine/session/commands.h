/// What a session can be asked to do. A command is a struct here (those of a tuning: tuning.h) and
/// a file of `commands/` that carries it out.
#pragma once

#include <string>

#include "engine/session/command.h"

namespace tw::session {

struct OpenModel {
  static constexpr bool kOfSession = true;
  std::string path;
};  ///< job; .onnx or .te
struct OpenSample {
  static constexpr bool kOfSession = true;
  std::string name;
};  ///< job; "resnet18"
/// Job: the open model again with these shapes of its inputs, "x=1x3x48x192; y=2"; those that are
/// not named are what the file says.
struct FixShapes {
  static constexpr bool kOfSession = true;
  std::string shapes;
};
/// Job: the open model again with another layout or algorithm, "channel_block=8": one of
/// snapshot.model->choices. Kernels that are others then begin anew; their histories come back with
/// their arrangement, and projects keep them.
struct Arrange {
  static constexpr bool kOfSession = true;
  std::string choice;
};
struct CloseModel {
  static constexpr bool kOfSession = true;
};
struct SelectKernel {
  static constexpr bool kOfSession = true;
  int row = 0;
};
/// One script line: "o.0, o.1 = split(conv2d.o, factor=16)", or several steps with ";" between them
/// (a repair). Refused: snapshot.refusal says why.
struct ApplyStep {
  static constexpr bool kOfSession = true;
  std::string line;
};
/// Several lines as one command; stops at the first refused one and keeps the steps before it.
struct ApplyScript {
  static constexpr bool kOfSession = true;
  std::string text;
};
struct Undo {
  static constexpr bool kOfSession = true;
};
struct Redo {
  static constexpr bool kOfSession = true;
};
struct JumpTo {
  static constexpr bool kOfSession = true;
  int history_node = 0;
};
struct SetNote {
  static constexpr bool kOfSession = true;
  int history_node = 0;
  std::string note;
};
/// A star on a state of the current kernel, or none any more.
struct TagState {
  static constexpr bool kOfSession = true;
  int history_node = 0;
  bool off = false;
};
/// A name for a state of the current kernel; empty: it has none any more.
struct NameState {
  static constexpr bool kOfSession = true;
  int history_node = 0;
  std::string name;
};
/// Every view shows the difference to this state of the current kernel.
struct SetBaseline {
  static constexpr bool kOfSession = true;
  int history_node = 0;
};
struct ClearBaseline {
  static constexpr bool kOfSession = true;
};
struct DismissRefusal {
  static constexpr bool kOfSession = true;
};
/// Job: the current branch, step by step, on another kernel of the table, which becomes the
/// current one; what could be taken over is a new branch there. snapshot.replay says what was.
struct ReplayOn {
  static constexpr bool kOfSession = true;
  std::string kernel;  ///< its name, or its row in the table
};
/// Job: a kernel from the text of a tensor expression, beside those of the open model or alone.
struct AddKernel {
  static constexpr bool kOfSession = true;
  std::string text;
};
/// Job: another text for a kernel of the user's own. The leaves of its history are replayed on the
/// new kernel.
struct RewriteKernel {
  static constexpr bool kOfSession = true;
  std::string kernel;
  std::string text;
};
struct MeasureAgain {
  static constexpr bool kOfSession = true;
};  ///< job: the current state, again
struct MeasureModel {
  static constexpr bool kOfSession = true;
};  ///< job: every kernel inside the network
/// The kernels that have no time yet are measured as they are by rule, while nothing else runs and
/// nobody acts.
struct MeasureInBackground {
  static constexpr bool kOfSession = true;
  bool off = false;
};
struct MeasureRoofs {
  static constexpr bool kOfSession = true;
  bool again = false;
};  ///< job: cached per machine
/// Job: kernels are compiled for another device and run there. Histories stay; each time belongs to
/// the device that it was measured on.
struct UseDevice {
  static constexpr bool kOfSession = true;
  std::string name;
};
/// From this node or kernel on, in the order of the plan, the model runs on that device; the device
/// in use ends a stretch on another one. Only measuring the model asks the devices.
struct CutAt {
  static constexpr bool kOfSession = true;
  std::string node;  ///< its name, "#12", or a kernel's
  std::string device;
};
/// A cut that begins at one node begins at another.
struct MoveCut {
  static constexpr bool kOfSession = true;
  std::string from, to;
};
/// The whole model runs on the device in use again.
struct RemoveCut {
  static constexpr bool kOfSession = true;
};
/// Job: opens the model again in layouts that an accelerator beside the device in use reads, and
/// cuts it so that what the accelerator can run runs there.
struct OffloadTo {
  static constexpr bool kOfSession = true;
  std::string device;
};
/// Job: makes a model of bytes of the one of floats that is open, as `tw quantize` does, and opens
/// it.
struct Quantize {
  static constexpr bool kOfSession = true;
  bool dense = false;  ///< dense layers and averages before them, too
  bool first = false, depthwise = false, unsigned_data = false;  ///< as of `QuantizeOptions`
  bool one_weight_step = false;
  std::string data;  ///< folder of sets of data that calibrate; empty: random inputs
  std::string file;  ///< the ONNX file that is written
};
/// Job: writes the model as a folder that runs alone, kernels as they were shaped, and runs it.
struct Export {
  static constexpr bool kOfSession = true;
  std::string target;  ///< of Options::exports
  std::string folder;
};
/// Job: writes one kernel of the model alone, as it is shaped now, and runs it.
struct ExportKernel {
  static constexpr bool kOfSession = true;
  std::string kernel;
  std::string target;
  std::string folder;
};
struct CancelJob {
  static constexpr bool kOfSession = true;
};

}  // namespace tw::session
