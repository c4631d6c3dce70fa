/// What a window does beside the session's commands, whatever panes it has. What only one pane can
/// do stands in the pane's folder.
#pragma once

#include <string>

namespace tw::journal {

struct ChooseKernel {
  std::string kernel;  ///< its name, or its row in the table
};
/// A tab of any of the window's panes, by its words: "loops", "graph", "assembly".
struct ShowView {
  std::string view;
};
struct SelectLoop {
  std::string loop;  ///< "conv2d.o.0"
};
struct HoverLoop {
  std::string loop;  ///< "none": the pointer has left
};
struct SetTheme {
  std::string theme;
};
struct ScaleText {
  int percent = 100;  ///< of everything that is drawn
};
struct ResizeWindow {
  int width = 0, height = 0;  ///< logical pixels
};
/// Where the borders between panes stand: "upper", "lower" or "whole", and sizes in logical pixels.
struct ArrangePanes {
  std::string panes;
  std::string sizes;  ///< "272 640 520"
};
struct ScrollView {
  std::string view;  ///< "loopNest", "code", "history", "kernels"
  int x = 0, y = 0;
};
/// `model` stands for the project's own where that is missing; empty: it is looked for.
struct OpenProject {
  std::string project;
  std::string model;
};
struct SaveProject {
  std::string project;  ///< empty: the file that it has
};
/// The same with a copy of the model in it, for another machine or another year.
struct SaveProjectWithModel {
  std::string project;
};
/// Takes up the work of a window that ended without closing.
struct RecoverWork {};
struct DiscardRecovery {};
/// "open", "palette", "keys", "step split", "note 3", "kernel", "kernel NAME", "replay".
struct ShowDialog {
  std::string dialog;
  std::string argument;
};
struct CloseDialog {};

}  // namespace tw::journal
