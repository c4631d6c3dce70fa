#include "engine/learning/training/booster.h"

#include <xgboost/c_api.h>

#include <cmath>
#include <limits>

namespace tw {
namespace {

/// XGBoost says "[12:00:00] file:line: reason", and the stack below it.
Status status_of(int code) {
  if (code == 0) return {};
  std::string reason = XGBGetLastError();
  reason = reason.substr(0, reason.find('\n'));
  if (size_t end = reason.find(": "); reason.starts_with('[') && end != reason.npos)
    reason = reason.substr(end + 2);
  return environment_failed("training_failed", "XGBoost could not train: " + reason);
}

Status set_floats(DMatrixHandle rows, char const* field, std::span<float const> values) {
  if (values.empty()) return {};
  return status_of(XGDMatrixSetFloatInfo(rows, field, values.data(), values.size()));
}

}  // namespace

struct Booster::Handles {
  DMatrixHandle rows = nullptr;
  BoosterHandle booster = nullptr;
};

void Booster::Free::operator()(Handles* handles) const {
  if (handles->booster != nullptr) XGBoosterFree(handles->booster);
  if (handles->rows != nullptr) XGDMatrixFree(handles->rows);
  delete handles;
}

Result<Booster> Booster::create(TrainingRows const& rows, std::span<uint32_t const> group_sizes,
                                std::span<float const> weights, Parameters const& parameters) {
  Booster made{std::unique_ptr<Handles, Free>(new Handles)};
  Handles& handles = *made.handles_;
  float missing = std::numeric_limits<float>::quiet_NaN();
  // One thread: with more, small matrices are not made any sooner.
  TRY(status_of(XGDMatrixCreateFromMat_omp(rows.features.data(), rows.rows(), rows.width, missing,
                                           &handles.rows, 1)));
  TRY(set_floats(handles.rows, "label", rows.targets));
  if (!group_sizes.empty())
    TRY(status_of(
        XGDMatrixSetUIntInfo(handles.rows, "group", group_sizes.data(), group_sizes.size())));
  TRY(set_floats(handles.rows, "weight", weights));
  TRY(set_floats(handles.rows, "base_margin", rows.prediction_so_far));
  TRY(status_of(XGBoosterCreate(&handles.rows, 1, &handles.booster)));
  for (auto const& [name, value] : parameters)
    TRY(status_of(XGBoosterSetParam(handles.booster, name.c_str(), value.c_str())));
  return made;
}

Status Booster::add_tree(int round) {
  return status_of(XGBoosterUpdateOneIter(handles_->booster, round, handles_->rows));
}

Result<std::span<float const>> Booster::predictions() {
  // Type 1 is the sum of the leaves, which XGBoost keeps for these rows: a round adds one tree.
  char const* how =
      R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})";
  bst_ulong const* shape = nullptr;
  bst_ulong dimensions = 0;
  float const* values = nullptr;
  TRY(status_of(XGBoosterPredictFromDMatrix(handles_->booster, handles_->rows, how, &shape,
                                            &dimensions, &values)));
  size_t count = 1;
  for (bst_ulong i = 0; i < dimensions; ++i) count *= shape[i];
  return std::span(values, count);
}

Result<std::string> Booster::model_json() {
  bst_ulong size = 0;
  char const* bytes = nullptr;
  TRY(status_of(
      XGBoosterSaveModelToBuffer(handles_->booster, R"({"format": "json"})", &size, &bytes)));
  return std::string(bytes, size);
}

}  // namespace tw
