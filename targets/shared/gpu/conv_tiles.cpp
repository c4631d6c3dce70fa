#include "targets/shared/gpu/conv_tiles.h"

#include <algorithm>
#include <optional>

#include "targets/shared/gpu/choices.h"

namespace tw::gpu {
namespace {

constexpr int64_t kMostOwn = 64;         // sums of a thread
constexpr int64_t kWanted = 32768;       // threads of a launch
constexpr int64_t kMostParts = 16;       // of a sum
constexpr int64_t kMostAdds = 1000;      // multiply-adds of a body that is written out
constexpr int64_t kLeastPartTerms = 64;  // of a part: less is not worth a second launch

int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// As long as `most`, but parts of equal lengths where that wastes less.
int64_t part(int64_t extent, int64_t most) { return up(extent, up(extent, most)); }

/// The largest power of two that is no more.
int64_t power_up_to(int64_t most) {
  int64_t power = 1;
  while (power * 2 <= most) power *= 2;
  return power;
}

/// A sum's window of one place needs more channels at once than one of many.
int64_t terms_for(ConvShape const& shape) {
  int64_t wanted = shape.window == 1 ? 8 : shape.window <= 9 ? 4 : 1;
  return power_up_to(std::min(wanted, shape.input_channels));
}

std::vector<int64_t> part_choices(ConvShape const& shape) {
  std::vector<int64_t> parts{1};
  for (int64_t n = 2; n <= kMostParts; n *= 2)
    if (shape.input_channels % n == 0 && shape.input_channels / n * shape.window >= kLeastPartTerms)
      parts.push_back(n);
  return parts;
}

int64_t blocks_of(ConvTiles const& tiles, ConvShape const& shape) {
  return up(shape.pictures, tiles.pictures) *
         up(shape.channels, tiles.channels * tiles.channel_threads) * up(shape.rows, tiles.rows()) *
         up(shape.columns, tiles.columns);
}

/// What is written out stays small enough for registers and for the memory of instructions.
bool is_short(ConvTiles const& tiles, ConvShape const& shape) {
  return tiles.terms == 1 ||
         tiles.channels * tiles.own_rows * tiles.terms * shape.window < kMostAdds;
}

bool fits(ConvTiles const& tiles, ConvShape const& shape, Target const& target) {
  std::vector<int64_t> parts = part_choices(shape);
  // Of several pictures a block has all: rests of parts of them are too much for proofs.
  bool whole = tiles.rows() >= shape.rows && tiles.columns >= shape.columns;
  return is_short(tiles, shape) && (whole || tiles.pictures == 1) && tiles.channels >= 1 &&
         tiles.channel_threads >= 1 && tiles.pictures >= 1 && tiles.columns >= 4 &&
         tiles.terms >= 1 && tiles.threads() <= target.threads_per_block &&
         tiles.channels * tiles.own_rows <= kMostOwn && tiles.pictures <= shape.pictures &&
         tiles.channels * tiles.channel_threads <= std::max<int64_t>(8, shape.channels) &&
         tiles.terms * tiles.parts <= shape.input_channels &&
         std::ranges::find(parts, tiles.parts) != parts.end();
}

/// What a thread makes, with about how many others.
struct Form {
  int64_t channels, own_rows, threads;
};

ConvTiles tiles_of(Form const& form, ConvShape const& shape) {
  ConvTiles tiles;
  tiles.channels = power_up_to(std::min(form.channels, shape.channels));
  tiles.own_rows = part(shape.rows, form.own_rows);
  tiles.columns = part(shape.columns, 32);
  tiles.terms = terms_for(shape);
  while (!is_short(tiles, shape)) tiles.terms /= 2;
  int64_t others = std::max<int64_t>(1, form.threads / tiles.columns);
  if (form.own_rows == 1) {
    tiles.row_threads = part(shape.rows, others);
  } else {
    tiles.row_threads = 1;
    int64_t groups = up(shape.channels, tiles.channels);
    tiles.channel_threads = power_up_to(std::min(others, groups));
  }
  int64_t wanted = kWanted / (blocks_of(tiles, shape) * tiles.threads());
  tiles.parts = up_to(part_choices(shape), std::max<int64_t>(1, wanted)).back();
  return tiles;
}

}  // namespace

ConvTiles usual_conv_tiles(ConvShape const& shape, Target const& target) {
  ConvTiles tiles = tiles_of({8, 1, std::min<int64_t>(target.threads_per_block, 256)}, shape);
  tiles.parts = 1;
  return tiles;
}

std::vector<ConvTiles> conv_candidates(ConvShape const& shape, Target const& target) {
  constexpr Form kForms[] = {{8, 8, 128}, {4, 8, 128}, {2, 8, 128}, {4, 16, 128}, {8, 4, 128},
                             {4, 4, 128}, {8, 2, 128}, {8, 1, 256}, {16, 1, 256}};
  std::vector<ConvTiles> all;
  for (Form const& form : kForms) {
    ConvTiles tiles = tiles_of(form, shape);
    if (fits(tiles, shape, target) && std::ranges::find(all, tiles) == all.end())
      all.push_back(tiles);
  }
  return all;
}

std::vector<ConvTiles> conv_neighbours(ConvTiles const& tiles, ConvShape const& shape,
                                       Target const& target) {
  std::vector<ConvTiles> all;
  auto add = [&](int64_t ConvTiles::*number, int64_t value) {
    ConvTiles other = tiles;
    other.*number = value;
    if (other != tiles && fits(other, shape, target)) all.push_back(other);
  };
  for (auto number : {&ConvTiles::parts, &ConvTiles::channel_threads, &ConvTiles::terms}) {
    add(number, tiles.*number * 2);
    add(number, tiles.*number / 2);
  }
  add(&ConvTiles::pictures, tiles.pictures * 2);
  if (tiles.columns % 2 == 0) add(&ConvTiles::columns, tiles.columns / 2);
  return all;
}

std::optional<ConvTiles> conv_further(ConvTiles const& from, ConvTiles const& to,
                                      ConvShape const& shape, Target const& target) {
  ConvTiles further = to;
  for (auto number : {&ConvTiles::parts, &ConvTiles::channel_threads, &ConvTiles::terms,
                      &ConvTiles::pictures, &ConvTiles::columns})
    further.*number = to.*number * to.*number / from.*number;
  if (further == to || !fits(further, shape, target)) return std::nullopt;
  return further;
}

ConvTiles asked_conv_tiles(std::string const& block, ConvTiles const& preset,
                           ConvShape const& shape, Target const& target, Decisions& decisions) {
  auto ask = [&](char const* name, std::vector<int64_t> const& values, int64_t by_rule) {
    return decisions.choose(block + name, values, by_rule);
  };
  ConvTiles tiles;
  tiles.channels = ask(".channels", up_to({2, 4, 8, 16}, shape.channels), preset.channels);
  tiles.channel_threads = ask(".channel_threads", {1, 2, 4, 8, 16}, preset.channel_threads);
  tiles.own_rows = ask(".own_rows", up_to({1, 2, 4, 7, 8, 14}, shape.rows), preset.own_rows);
  tiles.row_threads = ask(".row_threads", up_to({1, 2, 4, 8}, shape.rows), preset.row_threads);
  tiles.columns = ask(".columns", up_to({8, 16, 32, 64}, shape.columns), preset.columns);
  if (shape.pictures > 1)
    tiles.pictures = ask(".pictures", up_to({1, 2, 4}, shape.pictures), preset.pictures);
  tiles.terms = ask(".terms", up_to({1, 2, 4, 8, 16}, shape.input_channels), preset.terms);
  tiles.parts = ask(".parts", part_choices(shape), preset.parts);
  if (tiles.threads() > target.threads_per_block)
    decisions.reject("threads", "a block of these tiles would have more threads than there may be");
  else if (tiles.channels * tiles.own_rows > kMostOwn)
    decisions.reject("registers", "a thread would have more sums than registers hold");
  else if (tiles.terms * tiles.parts > shape.input_channels)
    decisions.reject("parts", "a part of a sum would have fewer channels than are brought at once");
  return tiles;
}

}  // namespace tw::gpu
