#include "app/cli/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/session/model/inspection.h"
#include "engine/support/base/quantities.h"

namespace tw::cli {
namespace {

using session::Inspected;
using session::InspectedKind;
using session::InspectorView;
using session::ValueStatistics;

/// A node that no pass has left is found as the file has it.
Inspected asked(session::LoadedModel const& model, InspectionArguments const& arguments) {
  if (!arguments.kernel.empty()) return {InspectedKind::kKernel, arguments.kernel};
  if (!arguments.tensor.empty()) return {InspectedKind::kTensor, arguments.tensor};
  Inspected node{arguments.imported ? InspectedKind::kImported : InspectedKind::kOperator,
                 arguments.node};
  Inspected imported{InspectedKind::kImported, arguments.node};
  bool there = session::check_inspected(model, node).has_value();
  return there || !session::check_inspected(model, imported) ? node : imported;
}

// ---- as JSON -----------------------------------------------------------------------------------

std::string pattern_word(session::PatternClass pattern) {
  static constexpr char const* kWords[] = {"injective", "reduction", "complex", "opaque"};
  return kWords[size_t(pattern)];
}

Json links_json(std::vector<session::InspectedLink> const& links) {
  Json list = Json::array();
  for (session::InspectedLink const& link : links)
    list.push_back(
        {{"kind", word_of(link.what.kind)}, {"name", link.what.name}, {"what", link.detail}});
  return list;
}

Json tensors_json(std::vector<session::InspectedTensor> const& tensors) {
  Json list = Json::array();
  for (session::InspectedTensor const& tensor : tensors)
    list.push_back({{"operand", tensor.operand},
                    {"name", tensor.name},
                    {"type", tensor.type},
                    {"shape", tensor.shape},
                    {"layout", tensor.layout},
                    {"bytes", tensor.bytes},
                    {"weight", tensor.weight}});
  return list;
}

Json values_json(ValueStatistics const& values) {
  Json json = {{"tensor", values.tensor},
               {"count", values.count},
               {"nan", values.nan},
               {"positive_infinite", values.above},
               {"negative_infinite", values.below},
               {"zeros", values.zeros}};
  if (values.finite() == 0) return json;
  json["least"] = values.least;
  json["greatest"] = values.greatest;
  json["mean"] = values.mean;
  json["standard_deviation"] = values.deviation;
  json["histogram"] = {{"low", values.low}, {"step", values.step}, {"counts", values.bins}};
  return json;
}

Json cost_json(session::InspectedCost const& cost) {
  Json json = {{"operations", cost.operations},
               {"integers", cost.integers},
               {"bytes_read", cost.read},
               {"bytes_written", cost.written},
               {"runs", cost.runs},
               {"share_of_work", cost.work_share}};
  if (auto intensity = cost.intensity()) json["operations_per_byte"] = *intensity;
  return json;
}

Json to_json(InspectorView const& view, ValueStatistics const* values) {
  Json attributes = Json::array();
  for (session::InspectedAttribute const& attribute : view.attributes)
    attributes.push_back({{"name", attribute.name},
                          {"value", attribute.value},
                          {"default", attribute.usual},
                          {"doc", attribute.doc}});
  Json json = {{"kind", word_of(view.of.kind)}, {"name", view.title}, {"what", view.what}};
  if (view.pattern) json["pattern"] = pattern_word(*view.pattern);
  if (!view.doc.empty()) json["doc"] = view.doc;
  if (!view.reason.empty()) json["reason"] = view.reason;
  if (!view.algorithm.empty()) json["computed"] = view.algorithm;
  json["from_file"] = view.origins;
  json["attributes"] = attributes;
  json["inputs"] = tensors_json(view.inputs);
  json["outputs"] = tensors_json(view.outputs);
  if (view.tensor) json["tensor"] = tensors_json({*view.tensor})[0];
  json["kernels"] = links_json(view.kernels);
  json["operators"] = links_json(view.operators);
  json["after_fusion"] = links_json(view.became);
  json["made_by"] = links_json(view.made_by);
  json["read_by"] = links_json(view.read_by);
  if (view.cost) json["cost"] = cost_json(*view.cost);
  if (values) json["values"] = values_json(*values);
  json["compute"] = view.compute;
  if (!view.no_compute_because.empty()) json["no_compute_because"] = view.no_compute_because;
  return json;
}

// ---- as text -----------------------------------------------------------------------------------

void print_line(std::string const& label, std::string const& value) {
  if (!value.empty()) fmt::print("  {:<20} {}\n", label, value);
}

void print_links(std::string const& title, std::vector<session::InspectedLink> const& links) {
  if (links.empty()) return;
  fmt::print("{}\n", title);
  for (session::InspectedLink const& link : links) print_line(link.what.name, link.detail);
}

void print_tensors(std::string const& title, std::vector<session::InspectedTensor> const& tensors) {
  if (tensors.empty()) return;
  fmt::print("{}\n", title);
  for (session::InspectedTensor const& tensor : tensors) {
    std::string text = tensor.type + " " + tensor.shape;
    if (tensor.bytes > 0) text += ", " + bytes_text(double(tensor.bytes));
    if (tensor.weight) text += ", weight";
    if (tensor.layout != "plain") text += ", " + tensor.layout;
    if (!tensor.operand.empty() && !tensor.name.empty()) text += "  " + tensor.name;
    print_line(tensor.operand.empty() ? tensor.name : tensor.operand, text);
  }
}

/// A line for each bin, as long as there are values in it.
void print_histogram(ValueStatistics const& values) {
  constexpr double kLongest = 40;
  if (values.bins.empty()) return;
  bool logarithmic = values.wants_logarithm();
  double most = double(*std::ranges::max_element(values.bins));
  fmt::print("histogram{}\n", logarithmic ? ", logarithmic" : "");
  for (size_t bin = 0; bin < values.bins.size(); ++bin) {
    double count = double(values.bins[bin]);
    double part = logarithmic ? std::log1p(count) / std::log1p(most) : count / most;
    std::string bar(count > 0 ? size_t(std::max(1.0, part * kLongest)) : 0, '#');
    fmt::print("  {:>24} {:>8} {}\n", values.words_of(bin), many_text(count), bar);
  }
}

void print_values(ValueStatistics const& values) {
  fmt::print("values of {}\n", values.tensor);
  print_line("count", fmt::format("{}", values.count));
  if (values.finite() > 0) {
    print_line("least", session::value_text(values.least));
    print_line("greatest", session::value_text(values.greatest));
    print_line("mean", session::value_text(values.mean));
    print_line("standard deviation", session::value_text(values.deviation));
  }
  print_line("zeros", fmt::format("{}, {}", percent_text(values.share_of_zeros()), values.zeros));
  for (auto [label, count] :
       {std::pair{"NaN", values.nan}, {"+infinite", values.above}, {"-infinite", values.below}})
    if (count > 0) print_line(label, fmt::format("{}", count));
  print_histogram(values);
}

void print_cost(session::InspectedCost const& cost) {
  std::string unit = cost.integers ? "OP" : "FLOP";
  fmt::print("cost of a run\n");
  print_line("computes", session::operations_text(cost.operations, cost.integers));
  print_line("reads", bytes_text(double(cost.read)));
  print_line("writes", bytes_text(double(cost.written)));
  if (auto intensity = cost.intensity(); intensity && cost.operations > 0)
    print_line("intensity", number_text(*intensity) + " " + unit + "/B");
  print_line("of all work", percent_text(cost.work_share));
}

void print_text(InspectorView const& view, ValueStatistics const* values) {
  fmt::print("{}: {}\n", view.title, view.what);
  if (!view.doc.empty()) fmt::print("{}\n", view.doc);
  if (!view.reason.empty()) fmt::print("{}\n", view.reason);
  if (view.pattern) print_line("pattern", pattern_word(*view.pattern));
  print_line("computed", view.algorithm);
  print_line("from the file", fmt::format("{}", fmt::join(view.origins, ", ")));
  print_links("in the kernel", view.kernels);
  print_links("after fusion", view.became);
  print_links("operators", view.operators);
  if (!view.attributes.empty()) fmt::print("attributes\n");
  for (session::InspectedAttribute const& attribute : view.attributes)
    print_line(attribute.name, attribute.value + (attribute.usual ? "  (default)" : ""));
  print_tensors("inputs", view.inputs);
  print_tensors("outputs", view.outputs);
  if (view.tensor) print_tensors("tensor", {*view.tensor});
  print_links("made by", view.made_by);
  print_links("read by", view.read_by);
  if (values) print_values(*values);
  if (view.cost) print_cost(*view.cost);
  if (!view.compute.empty()) fmt::print("computes\n{}", view.compute);
  if (!view.no_compute_because.empty()) fmt::print("{}\n", view.no_compute_because);
}

}  // namespace

int print_inspection(Context const& context, session::LoadedModel const& model,
                     InspectionArguments const& arguments) {
  auto view = session::inspector_view(model, asked(model, arguments));
  if (!view) return report(context, view.error());
  std::optional<ValueStatistics> values;
  if (!view->values_of.empty()) {
    auto counted = session::tensor_statistics(model, view->values_of);
    if (!counted) return report(context, counted.error());
    values = std::move(*counted);
  }
  ValueStatistics const* shown = values ? &*values : nullptr;
  if (context.json)
    print(to_json(*view, shown));
  else
    print_text(*view, shown);
  return 0;
}

}  // namespace tw::cli
