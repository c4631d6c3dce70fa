#include "engine/learning/xgboost_model.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace tw {
namespace {

using Json = nlohmann::json;

/// Thrown and caught in this file, as are the exceptions of the JSON library.
struct Damaged {
  std::string what;
};

float to_float(Json const& number) {
  auto value = number.is_number() ? number.get<double>() : std::nan("");
  // Not what is only rounded to infinity: such a model was never written.
  if (!(std::fabs(value) <= double(std::numeric_limits<float>::max())))
    throw Damaged{"a number is missing or too large"};
  return float(value);
}

int64_t to_integer(Json const& number) {
  if (number.is_boolean()) return number.get<bool>();
  if (!number.is_number_integer()) throw Damaged{"an integer is missing"};
  return number.get<int64_t>();
}

/// XGBoost writes the parameters of a model as strings.
float number_in(std::string const& text) {
  float value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw Damaged{fmt::format("'{}' is no number", text.substr(0, 40))};
  return value;
}

/// One tree of the model: nodes in arrays, each with the numbers of its children.
class NodeArrays {
public:
  explicit NodeArrays(Json const& tree)
      : left_(tree.at("left_children")),
        right_(tree.at("right_children")),
        feature_(tree.at("split_indices")),
        number_(tree.at("split_conditions")),
        missing_left_(tree.at("default_left")) {}

  CompleteTree complete() const {
    CompleteTree tree{.depth = depth_below(0, 0), .splits = {}, .leaves = {}};
    size_t leaves = size_t(1) << tree.depth;
    tree.splits.resize(leaves - 1);
    tree.leaves.resize(leaves);
    fill(tree, 0, 0);
    return tree;
  }

private:
  bool is_leaf(size_t node) const { return to_integer(left_.at(node)) < 0; }

  size_t child(Json const& side, size_t node) const {
    int64_t number = to_integer(side.at(node));
    if (number < 0) throw Damaged{fmt::format("node {} has one child", node)};
    return size_t(number);
  }

  /// The limit also ends a walk in a circle.
  int depth_below(size_t node, int depth) const {
    if (is_leaf(node)) return 0;
    if (depth == kMostTreeDepth)
      throw Damaged{fmt::format("a tree is deeper than {}", kMostTreeDepth)};
    return 1 + std::max(depth_below(child(left_, node), depth + 1),
                        depth_below(child(right_, node), depth + 1));
  }

  TreeSplit split_of(size_t node) const {
    int64_t feature = to_integer(feature_.at(node));
    if (feature < 0 || feature >= int64_t(kMostFeatures)) throw Damaged{"a feature has no number"};
    return {uint32_t(feature), to_float(number_.at(node)), to_integer(missing_left_.at(node)) != 0};
  }

  /// `place` counts splits by level, and behind the last of them the leaves. A leaf that stands
  /// higher goes on to the left and to the right: whatever its splits ask, the answer is the same.
  void fill(CompleteTree& tree, size_t node, size_t place) const {
    bool leaf = is_leaf(node);
    if (place >= tree.splits.size()) {
      tree.leaves.at(place - tree.splits.size()) = to_float(number_.at(node));
      return;
    }
    if (!leaf) tree.splits[place] = split_of(node);
    fill(tree, leaf ? node : child(left_, node), 2 * place + 1);
    fill(tree, leaf ? node : child(right_, node), 2 * place + 2);
  }

  Json const &left_, &right_, &feature_, &number_, &missing_left_;
};

Status check_kind(Json const& learner) {
  auto objective = learner.at("objective").at("name").get<std::string>();
  auto booster = learner.at("gradient_booster").at("name").get<std::string>();
  if (booster != "gbtree" || (objective != "reg:squarederror" && objective != "rank:pairwise"))
    return bad_input("unknown_model",
                     fmt::format("a model of XGBoost with the objective '{}' and the booster '{}' "
                                 "is not one of trees whose leaves are only added",
                                 objective.substr(0, 40), booster.substr(0, 40)));
  return {};
}

Result<TreeEnsemble> read_model(Json const& model) {
  Json const& learner = model.at("learner");
  TRY(check_kind(learner));
  Json const& parameters = learner.at("learner_model_param");
  float width = number_in(parameters.at("num_feature").get<std::string>());
  if (!(width >= 1 && width <= float(kMostFeatures))) throw Damaged{"it has no number of features"};
  std::vector<CompleteTree> trees;
  for (Json const& tree : learner.at("gradient_booster").at("model").at("trees"))
    trees.push_back(NodeArrays(tree).complete());
  return TreeEnsemble::create(size_t(width),
                              number_in(parameters.at("base_score").get<std::string>()), trees);
}

}  // namespace

Result<TreeEnsemble> parse_xgboost_model(std::string_view json) {
  auto damaged = [](std::string const& what) {
    return bad_input("not_a_model", "this is no model of XGBoost that can be read: " + what);
  };
  Json model = Json::parse(json, nullptr, false);
  if (model.is_discarded()) return damaged("it is no JSON");
  try {
    return read_model(model);
  } catch (Damaged const& error) {
    return damaged(error.what);
  } catch (Json::exception const& error) {
    return damaged(error.what());
  }
}

}  // namespace tw
