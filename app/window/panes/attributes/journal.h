// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines look at closely.
#pragma once

#include <string>

namespace tw::journal {

/// Shows what one thing of the model is: an operator by name or "#12" in the graph after fusion
/// ("operator") or before it ("imported"), a kernel or a tensor by name.
struct Inspect {
  std::string name;
  std::string kind = "operator";  ///< a word of session::inspected_kind
  bool behind = false;            ///< the tab that is in front stays there
};
/// The thing that was looked at before.
struct InspectBefore {};

}  // namespace tw::journal
