// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/inspector_rows.h"

#include <QLocale>

#include "engine/session/kernel_rows.h"
#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

using session::InspectorView;
using session::KernelRow;
using session::ValueStatistics;
using Form = SheetRow::Form;
using Rows = std::vector<SheetRow>;

QString qt(std::string const& text) { return QString::fromStdString(text); }

void section(Rows& rows, QString const& title) {
  rows.push_back({.form = Form::kSection, .label = title});
}
SheetRow& fact(Rows& rows, QString const& label, QString const& value) {
  rows.push_back({.label = label, .value = value});
  return rows.back();
}
void words(Rows& rows, std::string const& text) {
  if (!text.empty()) rows.push_back({.form = Form::kWords, .value = qt(text)});
}

void add_links(Rows& rows, QString const& title, std::vector<session::InspectedLink> const& links) {
  if (links.empty()) return;
  section(rows, title);
  for (session::InspectedLink const& link : links)
    rows.push_back({.form = Form::kLink,
                    .label = qt(link.what.name),
                    .note = paint::shape(link.detail),
                    .tip = qt(link.what.name),
                    .pattern = link.pattern,
                    .to = link.what});
}

SheetRow tensor_row(session::InspectedTensor const& tensor) {
  SheetRow row{.form = Form::kTensor,
               .label = qt(tensor.operand),
               .value = qt(tensor.type) + " " + paint::shape(tensor.shape)};
  row.more = tensor.bytes > 0 ? paint::bytes(tensor.bytes) : QString();
  QStringList marks;
  if (tensor.weight) marks << "weight";
  if (tensor.layout != "plain") marks << qt(tensor.layout);
  row.note = marks.join(", ");
  row.tip = qt(tensor.name);
  if (tensor.known) row.to = session::Inspected{session::InspectedKind::kTensor, tensor.name};
  return row;
}

void add_tensors(Rows& rows, QString const& title,
                 std::vector<session::InspectedTensor> const& tensors) {
  if (tensors.empty()) return;
  section(rows, title);
  for (session::InspectedTensor const& tensor : tensors) rows.push_back(tensor_row(tensor));
}

void add_attributes(Rows& rows, InspectorView const& view) {
  if (view.attributes.empty() && view.algorithm.empty()) return;
  section(rows, "Attributes");
  for (session::InspectedAttribute const& attribute : view.attributes) {
    SheetRow& row = fact(rows, qt(attribute.name), qt(attribute.value));
    row.tip = qt(attribute.doc);
    if (attribute.usual) row.note = "default";
  }
  if (!view.algorithm.empty()) fact(rows, "computed", qt(view.algorithm)).tip = "Algorithm";
}

/// Of the kernel: measured times are solid, modelled ones hollow.
void add_times(Rows& rows, KernelRow const& kernel, session::KernelTable const& table,
               bool of_kernel) {
  QString whose = of_kernel ? "Time" : "Kernel's time";
  auto mark = kernel.time_ms ? SheetRow::Mark::kMeasured : SheetRow::Mark::kModelled;
  if (auto time = session::time_of(kernel)) {
    fact(rows, whose, paint::time(*time)).mark = mark;
    rows.back().note = kernel.count > 1 ? QString("a run") : QString();
    if (auto share = session::share_of(table, kernel)) {
      fact(rows, "Of all time", qt(session::share_text(*share))).share = share->share;
      rows.back().mark = mark;
    }
  }
  if (!kernel.roof) return;
  SheetRow& least = fact(rows, "At its roof", paint::time(kernel.roof->ms));
  least.mark = SheetRow::Mark::kModelled;
  least.tip = "Minimum time that the roofs of this machine allow";
  fact(rows, "Roof", qt(kernel.roof->words));
  if (kernel.fraction_of_roof) {
    fact(rows, "Of its roof", qt(percent_text(*kernel.fraction_of_roof))).share =
        *kernel.fraction_of_roof;
    rows.back().mark = mark;
  }
}

void add_cost(Rows& rows, SheetValues const& values) {
  InspectorView const& view = *values.view;
  if (!view.cost) return;
  session::InspectedCost const& cost = *view.cost;
  section(rows, cost.runs > 1 ? QString("Cost of one of %1 runs").arg(cost.runs) : QString("Cost"));
  fact(rows, "Computes", qt(session::operations_text(cost.operations, cost.integers)));
  fact(rows, "Reads", paint::bytes(cost.read));
  fact(rows, "Writes", paint::bytes(cost.written));
  if (auto intensity = cost.intensity(); intensity && cost.operations > 0)
    fact(rows, "Intensity", paint::number(*intensity) + (cost.integers ? " OP/B" : " FLOP/B")).tip =
        "Operations for each byte that is read or written";
  if (cost.operations > 0) {
    fact(rows, "Of all work", qt(percent_text(cost.work_share))).share = cost.work_share;
    rows.back().tip = "Share of the model's operations, over all runs";
  }
  bool known =
      values.kernels && view.kernel >= 0 && size_t(view.kernel) < values.kernels->rows.size();
  if (known)
    add_times(rows, values.kernels->rows[size_t(view.kernel)], *values.kernels,
              view.of.kind == session::InspectedKind::kKernel);
}

QString count_words(int64_t count) { return QLocale(QLocale::English).toString(qlonglong(count)); }

void add_statistics(Rows& rows, ValueStatistics const& values) {
  if (!values.failure.empty()) return words(rows, values.failure);
  fact(rows, "Count", count_words(values.count));
  if (values.finite() > 0) {
    fact(rows, "Least", qt(session::value_text(values.least)));
    fact(rows, "Greatest", qt(session::value_text(values.greatest)));
    fact(rows, "Mean", qt(session::value_text(values.mean)));
    fact(rows, "Deviation", qt(session::value_text(values.deviation))).tip = "Standard deviation";
  }
  fact(rows, "Zeros", qt(percent_text(values.share_of_zeros()))).note = count_words(values.zeros);
  for (auto [label, count] :
       {std::pair{"NaN", values.nan}, {"+infinite", values.above}, {"−infinite", values.below}})
    if (count > 0) fact(rows, label, count_words(count));
}

/// A histogram, then what it is made of.
void add_values(Rows& rows, SheetValues const& values) {
  std::string const& of = values.view->values_of;
  if (of.empty()) return;
  bool of_itself = values.view->of.kind == session::InspectedKind::kTensor;
  section(rows, of_itself ? QString("Values") : QString("Values of its largest weight"));
  if (!values.statistics || values.statistics->tensor != of)
    return words(rows, "Counting the values…");
  if (!values.statistics->bins.empty()) rows.push_back({.form = Form::kHistogram, .label = qt(of)});
  add_statistics(rows, *values.statistics);
}

void add_head(Rows& rows, InspectorView const& view) {
  rows.push_back({.form = Form::kHead,
                  .label = qt(view.title),
                  .value = paint::shape(view.what),
                  .pattern = view.pattern});
  words(rows, view.doc);
  words(rows, view.reason);
  bool of_operator = view.of.kind == session::InspectedKind::kOperator ||
                     view.of.kind == session::InspectedKind::kImported;
  if (view.pattern && of_operator) fact(rows, "Pattern", pattern_words(*view.pattern));
  for (std::string const& origin : view.origins)
    fact(rows, view.origins.front() == origin ? "From the file" : "", qt(origin)).tip =
        "The node of the model's file that it comes from";
}

void add_tensor(Rows& rows, InspectorView const& view) {
  if (!view.tensor) return;
  session::InspectedTensor const& tensor = *view.tensor;
  section(rows, "Tensor");
  fact(rows, "Type", qt(tensor.type));
  fact(rows, "Shape", paint::shape(tensor.shape));
  if (view.elements > 0) fact(rows, "Elements", count_words(view.elements));
  if (tensor.bytes > 0) fact(rows, "Bytes", paint::bytes(tensor.bytes));
  fact(rows, "Layout", qt(tensor.layout)).tip = "Memory layout";
}

}  // namespace

QString pattern_words(session::PatternClass pattern) {
  switch (pattern) {
    case session::PatternClass::kInjective:
      return "injective";
    case session::PatternClass::kReduction:
      return "reduction";
    case session::PatternClass::kComplex:
      return "complex, output fusable";
    default:
      return "opaque";
  }
}

QString SheetRow::words() const {
  QString said = label;
  for (QString const& word : {value, more, note})
    if (!word.isEmpty()) said += (said.isEmpty() ? "" : ", ") + word;
  if (mark != Mark::kNone) said += mark == Mark::kMeasured ? ", measured" : ", modelled";
  if (form == Form::kTensor && !tip.isEmpty()) said += ", " + tip;
  return said;
}

std::vector<SheetRow> sheet_rows(SheetValues const& values) {
  Rows rows;
  if (!values.view) return rows;
  InspectorView const& view = *values.view;
  if (!view.failure.empty()) {
    words(rows, view.failure);
    return rows;
  }
  add_head(rows, view);
  add_links(rows, view.kernels.size() == 1 ? "In the kernel" : "In kernels", view.kernels);
  add_links(rows, "After fusion it is", view.became);
  add_links(rows, "Operators", view.operators);
  add_attributes(rows, view);
  add_tensors(rows, "Inputs", view.inputs);
  add_tensors(rows, "Outputs", view.outputs);
  add_tensor(rows, view);
  add_links(rows, "Made by", view.made_by);
  add_links(rows, "Read by", view.read_by);
  add_values(rows, values);
  add_cost(rows, values);
  return rows;
}

}  // namespace tw
