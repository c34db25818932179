// Layouts made of the input's bytes go through the algebra; what comes back keeps its law at every
// coordinate.

#include <cstdint>
#include <cstdlib>
#include <span>

#include "heddle/cute/algebra.h"

namespace {

using namespace heddle;
using cute::Layout;

constexpr std::int64_t kMaxTried = 4096;

/// Reads small numbers off the input, 0 past its end.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> data) : data_(data) {}

  std::int64_t next(std::int64_t bound) {
    if (data_.empty()) return 0;
    const std::int64_t value = data_.front() % bound;
    data_ = data_.subspan(1);
    return value;
  }

 private:
  std::span<const std::uint8_t> data_;
};

IntTuple extents(Bytes& bytes, int depth) {
  if (depth == 0 || bytes.next(3) == 0) return 1 + bytes.next(12);
  std::vector<IntTuple> modes;
  for (std::int64_t count = 1 + bytes.next(3); count > 0; --count)
    modes.push_back(extents(bytes, depth - 1));
  return IntTuple::of(modes);
}

Result<Layout> layout(Bytes& bytes) {
  const IntTuple shape = extents(bytes, 2);
  if (bytes.next(3) == 0) return cute::make_layout(shape);
  return Layout::make(
      shape, transform_leaves(shape, [&](const Int&) {
        return cute::Stride(bytes.next(2) == 0 ? bytes.next(8) : bytes.next(200) - 4);
      }));
}

void require(bool law) {
  if (!law) std::abort();
}

void check_composition(const Layout& a, const Layout& b) {
  const Result<Layout> r = cute::composition(a, b);
  if (!r) return;
  require(cute::compatible(b.shape(), r->shape()));
  for (std::int64_t c = 0; c < kMaxTried && known_less(c, b.size()); ++c)
    require((*r)(c) == a(b(c)));
}

void check_inverses(const Layout& a) {
  if (const Result<Layout> right = cute::right_inverse(a)) {
    for (std::int64_t i = 0; i < kMaxTried && known_less(i, right->size()); ++i)
      require(a((*right)(i)) == i);
  }
  if (const Result<Layout> left = cute::left_inverse(a)) {
    for (std::int64_t c = 0; c < kMaxTried && known_less(c, a.size()); ++c) {
      require(a((*left)(a(c))) == a(c));
    }
  }
}

void check_complement(const Layout& a, std::int64_t target) {
  const Result<Layout> r = cute::complement(a, IntTuple(Int(target)));
  if (!r) return;
  require(known_at_most(floor_div(target, cute::filter(a)->size()), r->size()));
  for (std::int64_t i = 1; i < kMaxTried && known_less(i, r->size()); ++i) {
    require(known_less((*r)(i - 1), (*r)(i)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes({data, size});
  const Result<Layout> a = layout(bytes);
  const Result<Layout> b = layout(bytes);
  if (!a || !b) return 0;
  check_composition(*a, *b);
  check_inverses(*a);
  check_complement(*a, 1 + bytes.next(250) * (1 + bytes.next(20)));
  require(cute::equal(*a, cute::coalesce(*a)).is_yes());
  for (const auto& divide : {cute::zipped_divide, cute::tiled_divide, cute::flat_divide}) {
    (void)divide(*a, cute::Tiler(cute::Tile(*b)));
  }
  for (const auto& product : {cute::blocked_product, cute::raked_product}) (void)product(*a, *b);
  (void)cute::complement_fill(*a, bytes.next(200) + 1);
  (void)cute::upcast(*a, bytes.next(9));
  (void)cute::downcast(*a, bytes.next(9));
  (void)cute::max_common_layout(*a, *b);
  (void)cute::max_alignment(*a);
  (void)cute::domain_overflow(*a, *b);
  if (const auto swizzle =
          cute::Swizzle::make(static_cast<int>(bytes.next(4)), static_cast<int>(bytes.next(4)),
                              static_cast<int>(bytes.next(9)) - 4)) {
    (void)cute::composition(*a, *swizzle);
    (void)cute::composition(*swizzle, *a);
  }
  return 0;
}
