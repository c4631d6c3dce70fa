// SPDX-License-Identifier: GPL-3.0-or-later
/// What is said of an operator, a kernel or a tensor, as rows below each other.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "engine/session/inspector.h"

namespace tw {

struct SheetRow {
  enum class Form : unsigned char {
    kHead,     ///< a name in large letters, what it is below it
    kWords,    ///< a sentence
    kSection,  ///< what follows is about this
    kFact,     ///< label | value
    kLink,     ///< another thing that can be looked at
    kTensor,   ///< the same of a tensor, with its shape and bytes
    kHistogram
  };
  /// Where a time comes from.
  enum class Mark : unsigned char { kNone, kMeasured, kModelled };

  Form form = Form::kFact;
  QString label = {}, value = {};
  QString more = {};  ///< of a tensor: its bytes
  QString note = {};  ///< what stands below, or behind a value
  QString tip = {};
  std::optional<session::PatternClass> pattern = {};
  std::optional<session::Inspected> to = {};  ///< what a click looks at
  Mark mark = Mark::kNone;
  double share = -1;  ///< 0 to 1: a bar below; else none

  /// Keys stop here.
  bool is_stop() const { return to || form == Form::kHistogram; }
  /// As one hears it.
  QString words() const;
};

/// What the rows are made from; each may be null.
struct SheetValues {
  std::shared_ptr<session::InspectorView const> view;
  std::shared_ptr<session::KernelTable const> kernels;         ///< with times
  std::shared_ptr<session::ValueStatistics const> statistics;  ///< null: not there yet
};
std::vector<SheetRow> sheet_rows(SheetValues const& values);

/// "injective", "complex, output fusable".
QString pattern_words(session::PatternClass pattern);

}  // namespace tw
