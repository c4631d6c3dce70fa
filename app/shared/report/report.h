/// A page that tells what was made of a kernel or of a model: one HTML file that needs nothing
/// else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/model_roofline.h"
#include "engine/session/session.h"

namespace tw::report {

enum class What : uint8_t { kKernel, kModel };

/// All that a page is made of: nothing is computed again for it.
struct Contents {
  What what = What::kKernel;
  session::Snapshot now;
  std::string script;  ///< of the current step
  std::vector<std::shared_ptr<session::CodeText const>> code;
  std::shared_ptr<session::ModelRoofline const> layers;  ///< null: the roofs are not known
  std::string version;                                   ///< of the program
  std::string compiler;                                  ///< that made the code; empty: not known
  std::string date;                                      ///< of the report
};

/// What the session has now. Nothing: a text or a model is still being made, and the session's
/// listener is called when it is. Errors: no_model; no_kernel, for a report of one.
Result<std::optional<Contents>> gather(What what, session::Session& session);

std::string to_html(Contents const& contents);

}  // namespace tw::report
