// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/error_advice.h"

#include <map>

#include "engine/support/error_table.h"

namespace tw {

namespace {

struct Advice {
  char const *sentence = "", *command = "";
};

Advice const kDevice{"Devices shows its state; Use or Reconnect starts it again.", "Devices"};
Advice const kModel{"Choose another file, or open a sample from the start page.", "Open a model"};
Advice const kProject{"Choose another project; your earlier work is kept.", "Open a project"};
Advice const kPlace{"Free some disk space there, or save it in another folder.",
                    "Save the project as"};
Advice const kKernel{"Undo the last step, or measure again.", "Measure again"};
Advice const kName{"The command palette finds steps, kernels, loops and tensors by a few letters.",
                   "Commands"};
Advice const kOpenFirst{"Open a model first.", "Open a model"};

std::map<std::string, Advice> const& advice_table() {
  static std::map<std::string, Advice> const table{
      {"device_lost", kDevice},
      {"device_restarted", kDevice},
      {"device_timed_out", kDevice},
      {"device_unavailable", kDevice},
      {"device_in_use", kDevice},
      {"connection_closed", kDevice},
      {"server_unavailable", kDevice},
      {"server_deaf", kDevice},
      {"bad_token", kDevice},
      {"unknown_device", kDevice},
      {"kernel_crashed", kKernel},
      {"kernel_timed_out", kKernel},
      {"timed_out", kKernel},
      {"out_of_memory",
       {"Close other programs that use memory, then measure again.", "Measure again"}},
      {"file_unreadable", kModel},
      {"file_too_large", kModel},
      {"not_onnx", kModel},
      {"unknown_format", kModel},
      {"external_data",
       {"Put the weight files beside the model, then open it again.", "Open a model"}},
      {"missing_size", {"Enter the sizes in the bar above the views.", ""}},
      {"broken_project", kProject},
      {"not_a_project", kProject},
      {"file_unwritable", kPlace},
      {"changed_meanwhile",
       {"Another program changed the file: save yours under another name.", "Save the project as"}},
      {"folder_in_use",
       {"Choose an empty folder, or the folder of an earlier export.", "Export the model"}},
      {"not_exportable", {"The Why tab lists what prevents the export.", "Graph"}},
      {"self_test_failed", {"Nothing was written; try the export again.", "Export the model"}},
      {"nothing_to_offload",
       {"This accelerator needs int8: quantize the model first.", "Quantize the model"}},
      {"no_model", kOpenFirst},
      {"no_kernel", {"Choose a kernel in Kernels, at the left.", "Loops"}},
      {"unknown_primitive", kName},
      {"unknown_kernel", kName},
      {"unknown_loop", kName},
      {"unknown_view", kName},
      {"not_a_script", kName},
      {"nothing_to_replay", {"Apply a step first: S splits the selected loop.", ""}},
      {"not_your_kernel",
       {"Write your own kernel; there are examples to start from.", "New kernel"}},
      {"unknown_node", {"Choose a state in History.", ""}},
      {"same_state", {"Move the focus in History to another state with the arrow keys.", ""}},
  };
  return table;
}

char const* title_of(std::string const& job) {
  static std::map<std::string, char const*> const titles{
      {"open", "Not opened"},        {"measure", "Not measured"},
      {"model", "Not measured"},     {"roofs", "The machine was not measured"},
      {"export", "Not exported"},    {"device", "The device is not in use"},
      {"quantize", "Not quantized"}, {"offload", "Nothing is offloaded"},
      {"replay", "Not replayed"},    {"kernel", "The kernel was not accepted"},
  };
  auto known = titles.find(job);
  return known == titles.end() ? "Command failed" : known->second;
}

/// What the table of codes says, unless it speaks of the command line.
std::string remedy_here(std::string const& code) {
  std::string remedy = remedy_of(code);
  bool of_tw = remedy.find("`tw ") != std::string::npos || remedy.find("--") != std::string::npos;
  std::erase(remedy, '`');  // the card shows plain text
  return of_tw ? "" : remedy;
}

}  // namespace

ErrorWords error_words(std::string const& code, std::string const& job, QString const& sentence) {
  auto known = advice_table().find(code);
  bool measured = job == "measure" || job == "model";
  Advice advice = known != advice_table().end() ? known->second : measured ? kKernel : Advice();
  QString whole = sentence;
  if (!whole.isEmpty()) whole[0] = whole[0].toUpper();
  std::string said = *advice.sentence ? advice.sentence : remedy_here(code);
  return {title_of(job), whole, QString::fromStdString(said), advice.command};
}

}  // namespace tw
