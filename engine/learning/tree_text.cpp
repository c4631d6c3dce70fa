#include "engine/learning/tree_text.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "engine/support/base/hash.h"

namespace tw {
namespace {

constexpr std::string_view kMagic = "tilewright trees ";
constexpr std::string_view kVersion = "1";

std::string end_line(std::string_view above) {
  return fmt::format("end {:016x}", Hasher().text(above).finish());
}

/// All of `text` as a number.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<TreeSplit> split_of(std::string_view word) {
  size_t less = word.find('<');
  if (less == word.npos) return std::nullopt;
  auto feature = number_of<uint32_t>(word.substr(0, less));
  bool missing_left = word.substr(less + 1).starts_with('?');
  auto threshold = number_of<float>(word.substr(less + 1 + size_t(missing_left)));
  if (!feature || !threshold) return std::nullopt;
  return TreeSplit{*feature, *threshold, missing_left};
}

class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<TreeEnsemble> read() {
    TRY(check_first_line());
    TRY_ASSIGN(auto width, number_after<uint32_t>("features "));
    TRY_ASSIGN(auto bias, number_after<float>("bias "));
    std::vector<CompleteTree> trees;
    while (next_line().starts_with("tree ")) {
      TRY_ASSIGN(auto tree, read_tree());
      trees.push_back(std::move(tree));
    }
    // The hash is that of what stands before this line.
    size_t above = text_.size() - rest_.size() - line_.size() - size_t(ended_);
    if (!ended_ || line_ != end_line(text_.substr(0, above)))
      return damaged("the end with the right hash is missing");
    if (!rest_.empty()) return damaged("there is more behind the end");
    return TreeEnsemble::create(width, bias, trees);
  }

private:
  std::unexpected<Error> damaged(std::string what) const {
    return bad_input("damaged_trees", "the trees are damaged: " + what, {.line = number_});
  }

  Status check_first_line() {
    if (!next_line().starts_with(kMagic))
      return bad_input("not_trees", "these are no trees of a cost model");
    if (line_.substr(kMagic.size()) != kVersion)
      return bad_input("unknown_version",
                       fmt::format("the trees are of version '{}', and only version {} can be read",
                                   line_.substr(kMagic.size(), 20), kVersion));
    return {};
  }

  std::string_view next_line() {
    size_t end = rest_.find('\n');
    ended_ = end != rest_.npos;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(ended_ ? end + 1 : rest_.size());
    ++number_;
    return line_;
  }

  template <typename Number>
  Result<Number> number_after(std::string_view word) {
    if (!next_line().starts_with(word))
      return damaged(fmt::format("a line '{}NUMBER' is missing", word));
    auto number = number_of<Number>(line_.substr(word.size()));
    if (!number) return damaged(fmt::format("there is no number behind '{}'", word));
    return *number;
  }

  /// The words of the next line, each by `item_of`.
  template <typename Item>
  Result<std::vector<Item>> list(char const* what,
                                 std::optional<Item> (*item_of)(std::string_view)) {
    std::vector<Item> items;
    for (std::string_view rest = next_line(); !rest.empty();) {
      size_t end = std::min(rest.find(' '), rest.size());
      auto item = item_of(rest.substr(0, end));
      if (!item)
        return damaged(
            fmt::format("'{}' is no {}", rest.substr(0, std::min(end, size_t(40))), what));
      items.push_back(*item);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return items;
  }

  Result<CompleteTree> read_tree() {
    auto depth = number_of<int>(line_.substr(5));
    if (!depth) return damaged("a tree has no depth");
    TRY_ASSIGN(auto splits, list<TreeSplit>("split", split_of));
    TRY_ASSIGN(auto leaves, list<float>("leaf", number_of<float>));
    return CompleteTree{*depth, std::move(splits), std::move(leaves)};
  }

  std::string_view text_;
  std::string_view rest_ = text_;
  std::string_view line_;
  bool ended_ = false;  ///< the line had an end
  int number_ = 0;
};

}  // namespace

std::string to_text(TreeEnsemble const& trees) {
  std::string text =
      fmt::format("{}{}\nfeatures {}\nbias {}\n", kMagic, kVersion, trees.width(), trees.bias());
  for (size_t i = 0; i < trees.size(); ++i) {
    CompleteTree tree = trees.tree(i);
    std::string splits;
    for (TreeSplit const& split : tree.splits)
      splits += fmt::format("{}{}<{}{}", splits.empty() ? "" : " ", split.feature,
                            split.missing_left ? "?" : "", split.threshold);
    text += fmt::format("tree {}\n{}\n{}\n", tree.depth, splits, fmt::join(tree.leaves, " "));
  }
  return text + end_line(text) + "\n";
}

Result<TreeEnsemble> parse_trees(std::string_view text) { return Reader(text).read(); }

}  // namespace tw
