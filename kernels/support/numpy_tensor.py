"""Arrays that Triton's interpreter takes for tensors: numpy behind the names that it asks for."""

import numpy


class Tensor:
    """An array on the "device"; `numpy()` is the array itself."""

    def __init__(self, array):
        self.array = numpy.ascontiguousarray(array)

    # Of a tensor.
    dtype = property(lambda self: self.array.dtype)
    shape = property(lambda self: self.array.shape)
    device = property(lambda self: "cpu")

    def numpy(self):
        return self.array

    def data_ptr(self):
        return self.array.ctypes.data

    def size(self):
        return self.array.shape

    def stride(self):
        return tuple(bytes_ // self.array.itemsize for bytes_ in self.array.strides)

    def storage_offset(self):
        return 0

    def element_size(self):
        return self.array.itemsize

    def new_empty(self, size, device=None):
        return Tensor(numpy.empty(size, self.array.dtype))

    def set_(self, storage, offset, size, stride):
        self.array = storage.array

    # Of the memory that a tensor lies in, and of its copy: all are one object.
    data = property(lambda self: self)

    def untyped_storage(self):
        return self

    def to(self, device):
        return self

    def cpu(self):
        return Tensor(self.array.copy())

    def copy_(self, other):
        self.array[...] = other.array
