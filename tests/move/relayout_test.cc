// Relayouts against plain loops: every element read, bit by bit, from where A says and found where
// B says, and every other bit of the destination as it was.

#include "heddle/move/relayout.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <fstream>
#include <functional>
#include <numeric>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "heddle/map/any_layout.h"
#include "heddle/notation/repackings.h"
#include "support/any_layout.h"
#include "support/law.h"
#include "support/plain.h"
#include "support/random_axe.h"
#include "support/random_lego.h"
#include "support/random_linear.h"
#include "support/refusal.h"

namespace heddle::test {
namespace {

using map::AnyLayout;
using move::make_plan;
using move::Plan;
using Bytes = std::vector<std::byte>;

bool bit_at(const Bytes& bytes, std::int64_t place) {
  return (bytes[static_cast<std::size_t>(place / 8)] >> (place % 8) & std::byte{1}) != std::byte{0};
}

void set_bit(Bytes& bytes, std::int64_t place, bool value) {
  const std::byte mask = std::byte{1} << (place % 8);
  std::byte& byte = bytes[static_cast<std::size_t>(place / 8)];
  byte = value ? byte | mask : byte & ~mask;
}

Bytes random_bytes(Random& random, std::int64_t count) {
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.between(0, 255));
  return bytes;
}

/// The places of every point of a box, whose points are numbered in this order, by evaluation of
/// the layout alone. Empty if a place is no number of one axis.
using Images = std::vector<std::vector<std::int64_t>>;
Images images_of(const map::View& view, form::FlatOrder order) {
  const bool is_reversed = order == form::FlatOrder::kLastFastest;
  Images images;
  for (std::int64_t flat = 0; flat < view.size().value(); ++flat) {
    std::vector<Int> indices(view.extents.size());
    std::int64_t rest = flat;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::size_t at = is_reversed ? indices.size() - 1 - i : i;
      indices[at] = rest % view.extents[at].value();
      rest /= view.extents[at].value();
    }
    const auto found = map::images(view, indices);
    if (!found) return {};
    images.emplace_back();
    for (const std::vector<Int>& image : *found) {
      std::int64_t place = 0;
      std::int64_t weight = 1;
      for (std::size_t axis = 0; axis < image.size(); ++axis) {
        if (!image[axis].is_constant()) return {};
        place += weight * image[axis].value();
        if (image.size() > 1) weight *= view.bounds[axis]->value();
      }
      if (!view.leaves_out || place != -1) images.back().push_back(place);
    }
  }
  return images;
}

/// The points of two layouts: by coordinates if the shapes are the same or one takes any shape,
/// else by flat index.
std::pair<Images, Images> matched_images(const AnyLayout& a, const AnyLayout& b) {
  map::View left = map::view(a).value();
  map::View right = map::view(b).value();
  if (left.takes_any_shape != right.takes_any_shape) {
    map::View& free = left.takes_any_shape ? left : right;
    const map::View& shaped = left.takes_any_shape ? right : left;
    const auto box = map::reshaped(free, shaped.extents);
    if (!box) return {};
    free = *box;
    return {images_of(left, form::FlatOrder::kLastFastest),
            images_of(right, form::FlatOrder::kLastFastest)};
  }
  const bool are_alike = left.extents == right.extents;
  return {images_of(left, left.order), images_of(right, are_alike ? left.order : right.order)};
}

/// The destination as bit-by-bit loops leave it; nothing if a place is written twice or negative.
std::optional<Bytes> moved(const Images& from, const Images& to, std::int64_t bits,
                           const Bytes& source, Bytes destination) {
  std::vector<std::int64_t> writer(static_cast<std::size_t>(8 * std::ssize(destination) / bits),
                                   -1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (const std::int64_t place : to[i]) {
      if (place < 0 || from[i].front() < 0) return std::nullopt;
      std::int64_t& before = writer[static_cast<std::size_t>(place)];
      if (before >= 0 && before != static_cast<std::int64_t>(i)) return std::nullopt;
      before = static_cast<std::int64_t>(i);
      for (std::int64_t bit = 0; bit < bits; ++bit) {
        set_bit(destination, place * bits + bit, bit_at(source, from[i].front() * bits + bit));
      }
    }
  }
  return destination;
}

std::int64_t greatest(const Images& images) {
  std::int64_t greatest = 0;
  for (const auto& places : images) {
    for (const std::int64_t place : places) greatest = std::max(greatest, place);
  }
  return greatest;
}

std::int64_t random_bits(Random& random) {
  return random.one_of<std::int64_t>(
      {1, 2, 3, 4, 4, 6, 8, 8, 12, 16, 16, 24, 32, 32, 48, 64, 96, 128, 200});
}

/// Holds if the plan does what the loops do, and is refused only where they are.
Finding moves_as_loops_do(Random& random, const AnyLayout& from, const AnyLayout& to,
                          std::int64_t element_bits = 0) {
  auto [images_from, images_to] = matched_images(from, to);
  if (images_from.empty() || images_from.size() != images_to.size()) return kSaysNothing;
  // What ExpandBy leaves out on either side is not moved.
  for (std::size_t i = 0; i < images_from.size(); ++i) {
    if (images_from[i].empty() || images_to[i].empty()) {
      images_from[i].clear();
      images_to[i].clear();
    }
  }
  const std::int64_t bits = element_bits > 0 ? element_bits : random_bits(random);
  const std::int64_t more = random.between(0, 9);
  const Bytes source = random_bytes(random, ((greatest(images_from) + 1) * bits + 7) / 8 + more);
  const Bytes before = random_bytes(random, ((greatest(images_to) + 1) * bits + 7) / 8 + more);
  // Replicas of the source hold the same, if no place is one of several elements'.
  std::vector<std::int64_t> all;
  bool has_replicas = false;
  for (const auto& places : images_from) {
    all.insert(all.end(), places.begin(), places.end());
    has_replicas = has_replicas || places.size() > 1;
  }
  std::ranges::sort(all);
  const bool is_plain =
      std::ranges::adjacent_find(all) == all.end() && (all.empty() || all.front() >= 0);
  if (has_replicas && !is_plain) return kSaysNothing;
  Bytes consistent = source;
  for (const auto& places : images_from) {
    for (const std::int64_t place : places) {
      if (place < 0 || places.front() < 0) continue;
      for (std::int64_t bit = 0; bit < bits; ++bit) {
        set_bit(consistent, place * bits + bit, bit_at(consistent, places.front() * bits + bit));
      }
    }
  }
  const auto wanted = moved(images_from, images_to, bits, consistent, before);
  const Result<Plan> plan = make_plan(from, to, bits);
  const auto names = [&] { return map::to_string(from) + " to " + map::to_string(to); };
  if (!plan) {
    if (!wanted) return kHolds;
    return found(names(), ", ", bits, " bits: refused, ", plan.error());
  }
  if (!wanted) return found(names(), ": not refused");
  if (plan->source_bytes() > std::ssize(source) - more ||
      (!has_replicas && plan->source_bytes() != std::ssize(source) - more)) {
    return found(names(), ": reads ", plan->source_bytes(), " bytes");
  }
  Bytes got = before;
  const auto done = plan->run(consistent, got, {.threads = static_cast<int>(random.between(1, 3))});
  if (!done) return found(names(), ": ", done.error());
  if (got != *wanted) return found(names(), ", ", bits, " bits: wrong bytes\n", to_string(*plan));
  return kHolds;
}

TEST(Relayout, MovesCuteLayoutsAsLoopsDo) {
  for_all_seeds([](Random& random) {
    const Plain to = random.chance(80) ? injective_layout(random) : any_layout(random);
    const std::int64_t size = static_cast<std::int64_t>(table(to).size());
    // Another layout of that many elements, sometimes a permutation of the same modes.
    std::vector<std::int64_t> extents = random_factors(random, size);
    random.shuffle(extents);
    std::vector<std::int64_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    random.shuffle(order);
    std::vector<Int> shape(extents.begin(), extents.end());
    std::vector<Int> strides(extents.size());
    std::int64_t step = random.between(1, 2);
    for (const std::int64_t i : order) {
      strides[static_cast<std::size_t>(i)] = step;
      step *= extents[static_cast<std::size_t>(i)];
    }
    std::string text = "(";
    std::string places = "(";
    for (std::size_t i = 0; i < extents.size(); ++i) {
      text += (i ? "," : "") + std::to_string(extents[i]);
      places += (i ? "," : "") + to_string(strides[i]);
    }
    const AnyLayout from = layout_of_text(text + "):" + places + ")");
    if (random.chance(50)) return moves_as_loops_do(random, from, to_layout(to));
    return moves_as_loops_do(random, to_layout(to), from);
  });
}

TEST(Relayout, MovesSwizzledLayoutsAsLoopsDo) {
  for_all_seeds([](Random& random) {
    const auto swizzled = [&] {
      const std::int64_t bits = random.between(1, 3);
      const std::int64_t base = random.between(0, 3);
      const std::int64_t shift = random.between(bits, 4) * (random.chance(80) ? 1 : -1);
      const std::vector<std::string> inner = {"(16,32):(32,1)", "(16,32):(1,16)",
                                              "(4,8,16):(8,1,32)", "(16,32):(64,1)",
                                              "(16,(2,16)):(1,(512,16))"};
      return layout_of_text("Sw<" + std::to_string(bits) + "," + std::to_string(base) + "," +
                            std::to_string(shift) + "> o " +
                            std::to_string(random.one_of<std::int64_t>({0, 0, 8, 5})) + " o " +
                            random.one_of(inner));
    };
    const std::vector<std::string> plain = {"(16,32):(32,1)", "(16,32):(1,16)", "(16,32):(40,1)",
                                            "512:1", "(32,16):(1,32)"};
    const AnyLayout other = layout_of_text(random.one_of(plain));
    if (random.chance(40)) return moves_as_loops_do(random, swizzled(), other);
    if (random.chance(60)) return moves_as_loops_do(random, other, swizzled());
    return moves_as_loops_do(random, swizzled(), swizzled());
  });
}

TEST(Relayout, MovesLinearLayoutsAsLoopsDo) {
  for_all_seeds([](Random& random) {
    const int bits = static_cast<int>(random.between(1, 8));
    const auto layout = [&] {
      const auto ins = random_dims(random, {"row", "column"}, bits);
      const auto outs = random_dims(random, kTensor, bits + static_cast<int>(random.between(0, 1)));
      return AnyLayout(random.chance(70) && outs.size() == ins.size()
                           ? invertible_linear(random, ins, random_dims(random, kTensor, bits))
                           : any_linear(random, ins, outs));
    };
    if (random.chance(50)) return moves_as_loops_do(random, layout(), layout());
    const AnyLayout flat = strided(std::int64_t{1} << bits, cute::StrideTuple(1));
    return moves_as_loops_do(random, flat, layout());
  });
}

bool permutes_in_registers(const AnyLayout& from, const AnyLayout& to, std::int64_t bits) {
  const auto plan = make_plan(from, to, bits);
  return plan && to_string(*plan).find("kernel  permutes") != std::string::npos;
}

/// Matrices over GF(2) that keep most bits where they are.
TEST(Relayout, MovesByShufflesAsLoopsDo) {
  Tally permuted;
  for_all_seeds({.one_in = 10}, [&](Random& random) {
    const int bits = static_cast<int>(random.between(7, 11));
    const auto layout = [&] {
      std::vector<std::uint64_t> columns;
      for (int i = 0; i < bits; ++i) columns.push_back(std::uint64_t{1} << i);
      for (std::int64_t i = random.between(0, 5); i > 0; --i) {
        const auto a = static_cast<std::size_t>(random.between(0, bits - 1));
        const auto b = static_cast<std::size_t>(random.between(0, bits - 1));
        if (random.chance(60)) {
          std::swap(columns[a], columns[b]);
        } else if (a != b) {
          columns[a] ^= columns[b];
        }
      }
      const std::int64_t size = std::int64_t{1} << bits;
      return AnyLayout(linear_from_columns({{"offset", size}}, {{"dim0", size}}, columns));
    };
    const AnyLayout from = layout();
    const AnyLayout to = layout();
    const auto width = random.one_of<std::int64_t>({1, 2, 4, 4, 8, 8, 16, 32, 64});
    if (permutes_in_registers(from, to, width)) permuted.count();
    return moves_as_loops_do(random, from, to, width);
  });
  permuted.expect_at_least(2);
}

/// Of any sizes, so that something is left over.
TEST(Relayout, RepacksAsLoopsDo) {
  Tally permuted;
  for_all_seeds({.one_in = 25, .percent = 5}, [&](Random& random) {
    const auto all = notation::repackings();
    const notation::Repacking& repacking =
        all[static_cast<std::size_t>(random.between(0, std::ssize(all) - 1))];
    Bindings sizes;
    for (const std::string& name : notation::size_names(repacking)) {
      sizes[name] = random.one_of<std::int64_t>({1, 2, 3, 8, 20, 32, 64, 64, 100, 128, 130});
    }
    const auto layouts = notation::layouts_of(repacking, sizes);
    if (!layouts || map::size(layouts->from)->value() > 20000) return Finding(kSaysNothing);
    const std::int64_t bits = repacking.element_bits > 0 ? repacking.element_bits : 16;
    if (permutes_in_registers(layouts->from, layouts->to, bits)) permuted.count();
    return moves_as_loops_do(random, layouts->from, layouts->to, bits);
  });
  permuted.expect_at_least(0.1);
}

TEST(Relayout, MovesLegoLayoutsAsLoopsDo) {
  for_all_seeds({.one_in = 4}, [](Random& random) {
    const PlainLego lego = any_lego(random, {.max_size = 72, .general = true, .expanded = true});
    const AnyLayout layout = to_layout(lego);
    const std::int64_t size = map::size(layout)->value();
    const AnyLayout other = strided(size, cute::StrideTuple(random.between(1, 2)));
    if (random.chance(50)) return moves_as_loops_do(random, layout, other);
    return moves_as_loops_do(random, other, layout);
  });
}

TEST(Relayout, MovesAxeLayoutsAsLoopsDo) {
  for_all_seeds([](Random& random) {
    const axe::Layout axe = any_axe(random, {.max_size = 96, .swizzles = random.chance(30)});
    const AnyLayout layout = axe;
    const auto size = map::size(layout);
    if (map::view(layout)->axes.size() > 1) return Finding(kSaysNothing);
    const AnyLayout other = strided(size->value(), cute::StrideTuple(1));
    if (random.chance(50)) return moves_as_loops_do(random, layout, other);
    return moves_as_loops_do(random, other, layout);
  });
}

TEST(Relayout, MovesTablesAsLoopsDo) {
  for_all_seeds([](Random& random) {
    const std::int64_t rows = random.between(1, 12);
    const std::int64_t columns = random.between(1, 12);
    std::vector<std::int64_t> values(static_cast<std::size_t>(rows * columns));
    std::iota(values.begin(), values.end(), std::int64_t{0});
    if (random.chance(80)) random.shuffle(values);
    if (random.chance(20)) values.front() = values.back();
    const AnyLayout layout = table({rows, columns}, values);
    const AnyLayout other =
        layout_of_text("(" + std::to_string(rows) + "," + std::to_string(columns) + "):(" +
                       std::to_string(columns) + ",1)");
    if (random.chance(50)) return moves_as_loops_do(random, layout, other);
    return moves_as_loops_do(random, other, layout);
  });
}

/// Moves extents, first one fastest, to where the first of `order` is fastest, some of them with
/// gaps.
void expect_permuted(Random& random, const std::vector<std::int64_t>& extents,
                     const std::vector<std::size_t>& order, std::int64_t bytes) {
  std::vector<std::int64_t> from(extents.size());
  std::vector<std::int64_t> to(extents.size());
  std::int64_t step = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    from[i] = step;
    step *= extents[i];
  }
  step = 1;
  for (const std::size_t i : order) {
    to[i] = step;
    step *= extents[i] + (random.chance(20) ? 1 : 0);
  }
  const auto text = [&](const std::vector<std::int64_t>& steps) {
    std::string shape;
    std::string strides;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      shape += (i > 0 ? "," : "") + std::to_string(extents[i]);
      strides += (i > 0 ? "," : "") + std::to_string(steps[i]);
    }
    return "(" + shape + "):(" + strides + ")";
  };
  const Plan plan =
      make_plan(layout_of_text(text(from)), layout_of_text(text(to)), 8 * bytes).value();
  const std::int64_t shift = random.between(0, 2) * 8;
  Bytes source(static_cast<std::size_t>(plan.source_bytes()));
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<std::byte>(i * 2654435761U >> 13);
  Bytes got(static_cast<std::size_t>(plan.destination_bytes() + shift), std::byte{0x5A});
  Bytes wanted = got;
  std::vector<std::int64_t> point(extents.size(), 0);
  const auto width = static_cast<std::size_t>(bytes);
  std::int64_t at = 0;
  for (std::int64_t flat = 0; flat * bytes < std::ssize(source); ++flat) {
    std::memcpy(&wanted[static_cast<std::size_t>(shift + at * bytes)],
                &source[static_cast<std::size_t>(flat * bytes)], width);
    for (std::size_t i = 0; i < point.size(); ++i) {
      at += to[i];
      if (++point[i] < extents[i]) break;
      at -= extents[i] * to[i];
      point[i] = 0;
    }
  }
  const int threads = static_cast<int>(random.between(1, 3));
  ASSERT_TRUE(plan.run(source, std::span(got).subspan(static_cast<std::size_t>(shift)),
                       {.threads = threads}));
  EXPECT_EQ(got, wanted) << text(from) << " to " << text(to) << ", " << bytes << " bytes\n"
                         << to_string(plan);
}

/// What is moved by blocks and streams is larger than what the laws move.
TEST(Relayout, MovesLargePermutationsAsLoopsDo) {
  Random random(property_seed());
  for (int round = 0; round < 8; ++round) {
    const std::int64_t bytes = random.one_of<std::int64_t>({1, 2, 4, 8, 16, 3, 12});
    const int rank = static_cast<int>(random.between(2, 4));
    std::vector<std::int64_t> extents(static_cast<std::size_t>(rank), 1);
    std::int64_t size = 1;
    while (size * bytes < (std::int64_t{17} << 20)) {
      std::int64_t& extent = extents[static_cast<std::size_t>(random.between(0, rank - 1))];
      size = size / extent * (extent * 2 + random.between(0, 1));
      extent = 0;
      std::int64_t others = 1;
      for (const std::int64_t other : extents) others *= std::max<std::int64_t>(other, 1);
      extent = size / others;
    }
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(order);
    expect_permuted(random, extents, order, bytes);
  }
}

/// A few rows that lie side by side in the destination, in vectors of all lengths.
TEST(Relayout, WeavesFewRowsAsLoopsDo) {
  Random random(property_seed());
  for (const std::int64_t bytes : {1, 2, 4, 8, 16}) {
    const std::int64_t rows = random.between(2, 32);
    const std::int64_t columns = random.between(4096, 8192);
    const std::int64_t others = (std::int64_t{17} << 20) / (rows * columns * bytes) + 1;
    expect_permuted(random, {columns, rows, others}, {1, 0, 2}, bytes);
  }
}

/// Rows that are interleaved a few at a time, with some columns that are too few for a tile.
TEST(Relayout, PermutesLargeMatricesInRegistersAsLoopsDo) {
  Random random(property_seed());
  for (const std::int64_t bytes : {1, 2, 4}) {
    const std::int64_t rows = std::int64_t{1} << random.between(1, 2);
    const std::int64_t columns = random.between(512, 1024);
    const std::int64_t others = (std::int64_t{17} << 20) / (rows * columns * bytes) + 1;
    expect_permuted(random, {columns, rows, others}, {1, 0, 2}, bytes);
    expect_permuted(random, {columns / 16, 16, rows, others}, {2, 1, 3, 0}, bytes);
  }
}

TEST(Relayout, MovesInPlaceWhereItIsAPermutation) {
  for_all_seeds([](Random& random) {
    const Plain layout = compact_layout(random);
    const Plain other = random.chance(70) ? compact_layout(random, size(layout)) : layout;
    const AnyLayout from = to_layout(layout);
    const AnyLayout to = size(other) == size(layout)
                             ? AnyLayout(to_layout(other))
                             : AnyLayout(strided(size(layout), cute::StrideTuple(1)));
    const std::int64_t bits = random.one_of<std::int64_t>({8, 16, 24, 64, 200});
    const Plan plan = make_plan(from, to, bits).value();
    Bytes buffer = random_bytes(random, plan.source_bytes() + 3);
    Bytes wanted = buffer;
    if (const auto done = plan.run(buffer, wanted); !done) return found(done.error());
    if (const auto done = plan.run_in_place(buffer); !done) return found(done.error());
    return buffer == wanted ? Finding(kHolds) : found(from, " to ", to, ", ", bits, " bits");
  });
}

// ---- Refusals ----

std::string refused(std::string_view from, std::string_view to, std::int64_t bits = 8,
                    const move::PlanOptions& options = {}) {
  return code(make_plan(layout_of_text(from), layout_of_text(to), bits, options));
}

TEST(Relayout, RefusesWhatCannotBeMoved) {
  EXPECT_EQ(refused("(4,8):(8,1)", "(4,4):(4,1)"), "move.sizes");
  EXPECT_EQ(refused("(4,8):(8,1)", "(4,8):(1,2)"), "move.overlap");
  EXPECT_EQ(refused("(4,8):(8,1)", "(4,8):(0,1)"), "move.overlap");
  EXPECT_EQ(refused("(4,8):(8,1)", "(4,8):(8,-1)"), "move.negative");
  EXPECT_EQ(refused("(M,8):(8,1)", "(M,8):(1,M)"), "move.symbolic");
  EXPECT_EQ(refused("4:1", "S[(4):(1@laneid)] + 1@m"), "move.axes");
  EXPECT_EQ(refused("4:1", "4:1", 0), "move.bits");
  EXPECT_EQ(refused("4611686018427387904:1", "4611686018427387904:1"), "move.too_large");
  EXPECT_EQ(refused("2:1", "[0,4611686018427387903]"), "move.too_large");
  EXPECT_EQ(refused("[0,4611686018427387903]", "2:1", 16), "move.too_large");
  EXPECT_EQ(refused("4:1", "4:1"), "");
}

TEST(Relayout, BindsSymbolicSizesLate) {
  move::PlanOptions options;
  options.sizes = {{"M", 4}};
  const auto plan =
      make_plan(layout_of_text("(M,8):(8,1)"), layout_of_text("(M,8):(1,M)"), 16, options);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->elements(), 32);
  EXPECT_EQ(plan->destination_bytes(), 64);
}

TEST(Relayout, RefusesBuffersThatAreShortOrOverlap) {
  const Plan plan =
      make_plan(layout_of_text("(4,8):(8,1)"), layout_of_text("(4,8):(1,4)"), 8).value();
  Bytes bytes(64);
  const std::span all(bytes);
  EXPECT_EQ(code(plan.run(all.first(31), all.last(32))), "move.buffer");
  EXPECT_EQ(code(plan.run(all.first(32), all.last(31))), "move.buffer");
  EXPECT_EQ(code(plan.run(all.first(32), all.subspan(16, 32))), "move.buffer");
  EXPECT_EQ(code(plan.run(all.first(32), all.last(32), {.threads = 2})), "");
}

TEST(Relayout, SaysHowFarItIsAndStopsWhenAsked) {
  for_all_seeds([](Random& random) {
    const std::int64_t rows = random.between(1, 40);
    const std::int64_t bits = random.one_of<std::int64_t>({4, 8, 32});
    const AnyLayout from = layout_of_text("(" + std::to_string(rows) + ",8):(8,1)");
    const AnyLayout to =
        layout_of_text("(" + std::to_string(rows) + ",8):(1," + std::to_string(rows) + ")");
    const Plan plan = make_plan(from, to, bits).value();
    const Bytes source = random_bytes(random, plan.source_bytes());
    Bytes got(source.size());
    move::Progress progress;
    std::stop_source stop;
    const move::RunOptions options{.threads = 2, .stop = stop.get_token(), .progress = &progress};
    if (!plan.run(source, got, options)) return found("refused");
    if (progress.moved != progress.of) return found(progress.moved, " of ", progress.of, " bytes");
    if (bits >= 8 && progress.of != plan.destination_bytes()) return found(progress.of, " bytes");
    stop.request_stop();
    const Bytes before = got;
    if (code(plan.run(source, got, options)) != "move.stopped") return found("not stopped");
    return got == before ? Finding(kHolds) : found("moved after the stop");
  });
}

/// The stop comes from another thread, when something has moved and not yet everything.
TEST(Relayout, StopsInTheMiddle) {
  const Plan plan =
      make_plan(layout_of_text("(8192,8192):(8192,1)"), layout_of_text("(8192,8192):(1,8192)"), 8)
          .value();
  const Bytes source(static_cast<std::size_t>(plan.source_bytes()));
  Bytes destination(source.size());
  move::Progress progress;
  std::stop_source stop;
  const std::jthread other([&] {
    while (progress.moved == 0) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_EQ(code(plan.run(source, destination, {.stop = stop.get_token(), .progress = &progress})),
            "move.stopped");
  EXPECT_GT(progress.moved, 0);
  EXPECT_LT(progress.moved, progress.of);
}

TEST(Relayout, StopsInPlaceOnlyBeforeTheFirstElementMoves) {
  const Plan plan =
      make_plan(layout_of_text("(4,8):(8,1)"), layout_of_text("(4,8):(1,4)"), 8).value();
  Random random(1);
  Bytes buffer = random_bytes(random, 32);
  const Bytes before = buffer;
  Bytes wanted(buffer.size());
  ASSERT_TRUE(plan.run(buffer, wanted));
  std::stop_source stop;
  move::Progress progress;
  stop.request_stop();
  EXPECT_EQ(code(plan.run_in_place(buffer, {.stop = stop.get_token()})), "move.stopped");
  EXPECT_EQ(buffer, before);
  ASSERT_TRUE(plan.run_in_place(buffer, {.progress = &progress}));
  EXPECT_EQ(buffer, wanted);
  EXPECT_EQ(progress.moved, progress.of);
}

TEST(Relayout, PrintsItsSteps) {
  EXPECT_EQ(
      to_string(
          make_plan(layout_of_text("(4,8):(8,1)"), layout_of_text("(4,8):(1,4)"), 32).value()),
      "moves   32 elements of 32 bits, 128 bytes to 128 bytes\n"
      "loops   4 (32 to 4), 8 (4 to 16) bytes\n"
      "kernel  transposes 4 x 8 elements of 4 bytes in registers\n"
      "blocks  4 x 8 steps of the loops\n"
      "stores  through the caches");
  EXPECT_NE(to_string(make_plan(layout_of_text("8:1"), layout_of_text("8:2"), 4).value())
                .find("kernel  copies 4 bits at a time"),
            std::string::npos);
  // What is too little for tiles is left to others.
  EXPECT_EQ(
      to_string(
          make_plan(layout_of_text("(4,100):(100,1)"), layout_of_text("(4,100):(1,4)"), 8).value()),
      "moves   400 elements of 8 bits, 400 bytes to 400 bytes\n"
      "loops   4 (100 to 1), 100 (1 to 4) bytes\n"
      "kernel  permutes 4 x 16 bytes in registers: exchanges 4 bytes, exchanges 8 bytes, shuffles\n"
      "blocks  384 bytes, in runs of 96 to runs of 384\n"
      "stores  through the caches\n"
      "rest    4 (100 to 1), 4 (1 to 4) bytes, transposes 4 x 4 elements of 1 bytes in registers");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/// What `work` answers in a process that can have so many bytes more.
int within_memory(std::int64_t more, const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit =
        pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + static_cast<rlim_t>(more);
    const rlimit limits{limit, limit};
    setrlimit(RLIMIT_AS, &limits);
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Relayout, IsDoneByTheCallerWhereNoThreadStarts) {
  const Plan plan =
      make_plan(layout_of_text("(1024,1024):(1024,1)"), layout_of_text("(1024,1024):(1,1024)"), 32)
          .value();
  Random random(1);
  const Bytes source = random_bytes(random, plan.source_bytes());
  Bytes wanted(source.size());
  ASSERT_TRUE(plan.run(source, wanted));
  for (const int threads : {64, INT_MAX, 0, INT_MIN}) {
    Bytes got(source.size());
    // A thread's stack alone takes 8 MiB.
    EXPECT_EQ(
        within_memory(
            4 << 20,
            [&] { return plan.run(source, got, {.threads = threads}) && got == wanted ? 0 : 1; }),
        0)
        << threads;
  }
}

TEST(Relayout, MovesOrRefusesWhereMemoryForBuffersIsShort) {
  const Plan plan =
      make_plan(layout_of_text("(4096,4096):(4096,1)"), layout_of_text("(4096,4096):(1,4096)"), 16)
          .value();
  const Bytes source(static_cast<std::size_t>(plan.source_bytes()));
  Bytes destination(source.size());
  for (const int more : {0, 1 << 20, 16 << 20}) {
    EXPECT_EQ(within_memory(more,
                            [&] {
                              const auto moved = plan.run(source, destination, {.threads = 200});
                              return moved || code(moved) == "move.too_large" ? 0 : 1;
                            }),
              0)
        << more;
  }
}

TEST(Relayout, TakesAFewMegabytesForSinglePieces) {
  const Plan plan =
      make_plan(layout_of_text("(4096,4096):(4096,1)"), layout_of_text("(4096,4096):(2,8192)"), 8)
          .value();
  ASSERT_NE(to_string(plan).find("from a buffer"), std::string::npos);
  const Bytes source(static_cast<std::size_t>(plan.source_bytes()));
  Bytes destination(static_cast<std::size_t>(plan.destination_bytes()));
  EXPECT_EQ(within_memory(8 << 20, [&] { return plan.run(source, destination) ? 0 : 1; }), 0);
}

#endif

TEST(Relayout, RefusesToMoveInPlaceWhatIsNoPermutation) {
  Bytes bytes(64);
  const auto in_place = [&](std::string_view from, std::string_view to, std::int64_t bits) {
    return code(
        make_plan(layout_of_text(from), layout_of_text(to), bits).value().run_in_place(bytes));
  };
  EXPECT_EQ(in_place("(4,8):(8,1)", "(4,8):(1,4)", 8), "");
  EXPECT_EQ(in_place("(4,8):(8,1)", "(4,8):(9,1)", 8), "move.in_place");
  EXPECT_EQ(in_place("(4,8):(0,1)", "(4,8):(8,1)", 8), "move.in_place");
  EXPECT_EQ(in_place("(4,8):(8,1)", "(4,8):(1,4)", 4), "move.in_place");
}

/// Register layouts name who holds an element: the buffer has each thread's registers in turn.
TEST(Relayout, RegistersAreMovedAsTheirImage) {
  const AnyLayout rows = layout_of_text("(2,4):(4,1)");
  const AnyLayout registers =
      layout_of_text("LinearLayout({'register': [(1,0)], 'lane': [(0,1),(0,2)]}, ['dim0','dim1'])");
  const auto plan = make_plan(rows, registers, 8);
  ASSERT_TRUE(plan) << plan.error();
  Bytes source(8);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i);
  Bytes image(8);
  ASSERT_TRUE(plan->run(source, image));
  for (std::size_t i = 0; i < image.size(); ++i) {
    EXPECT_EQ(image[i], static_cast<std::byte>(i % 2 * 4 + i / 2));
  }
  EXPECT_EQ(make_plan(rows, layout_of_text("(4,2):(1,4) tile (2,4)"), 8).error().code(),
            "move.axes");
}

}  // namespace
}  // namespace heddle::test
