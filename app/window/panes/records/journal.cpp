// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/records/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_records() {
  using namespace journal;
  using Text = Named<FilterRecords, std::string>;
  static journal::Vocabulary const words{
      {
          row<FilterRecords>(
              "records filter", "chooses which stored trials are shown",
              Text{&FilterRecords::kernel, "kernel"}, Text{&FilterRecords::device, "device"},
              Text{&FilterRecords::outcome, "class"}, Text{&FilterRecords::job, "job"},
              Text{&FilterRecords::text, "text"}, Text{&FilterRecords::order, "order"},
              Flag<FilterRecords>{&FilterRecords::best, "best"})
              .replacing(),
          row<SelectRecords>("records select", "selects a stored trial, or two to compare",
                             Number(&SelectRecords::trial, "TRIAL"),
                             Named<SelectRecords, int>{&SelectRecords::other, "and"})
              .replacing(),
      },
      {
          {"records", "", "number of stored trials that match the filter"},
          {"records.selected", "words", "numbers of the selected stored trials, or none"},
          {"records.trouble", "words", "why stored trials cannot be shown, or none"},
      }};
  return words;
}

}  // namespace tw
