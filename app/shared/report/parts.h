/// The parts of a report's page, each as HTML.
#pragma once

#include <string>

#include "app/shared/report/report.h"

namespace tw::report {

/// A fact of the session in large letters; empty where it is not known. `fact` is its name in
/// journals, `shown` what stands there.
std::string figure(std::string const& fact, std::string const& shown, std::string const& words,
                   Contents const& contents);

std::string kernel_part(Contents const& contents);
std::string model_part(Contents const& contents);
/// What it was made on, and with.
std::string machine_part(Contents const& contents);

}  // namespace tw::report
