package capi

import (
	"github.com/gopvas/gopvas/internal/file"
)

// File_set_view is MPI_File_set_view. What is wrong with the arguments of one rank is an error of all.
func (p *Process) File_set_view(o *openFile, disp int, etype, filetype Type, rep CString, info Info) error {
	var next openFile
	wrong := p.view(&next, etype, filetype, rep, info)
	v := file.View{Displacement: int64(disp)}
	if wrong == nil {
		v.Element, v.Type, wrong = next.inFile()
	}
	if err := o.f.SetView(v, wrong); err != nil {
		return err
	}
	o.etype, o.filetype, o.datarep = next.etype, next.filetype, next.datarep
	return nil
}

// view looks up what a view consists of.
func (p *Process) view(o *openFile, etype, filetype Type, rep CString, info Info) (err error) {
	if _, err = p.hints(info); err != nil {
		return err
	}
	if o.datarep, err = p.dataRep(rep); err != nil {
		return err
	}
	if o.etype, err = p.messageType(etype); err != nil {
		return err
	}
	o.filetype, err = p.messageType(filetype)
	return err
}

// File_get_view is MPI_File_get_view. Types that are not predefined get a handle of their own, which the program frees.
func (p *Process) File_get_view(o *openFile, disp Ref, etype, filetype Ptr[Type], rep OutString) error {
	for _, out := range []struct {
		t  *typeObject
		at Ptr[Type]
	}{{o.etype, etype}, {o.filetype, filetype}} {
		h, err := p.handleOf(out.t)
		if err != nil {
			return err
		}
		out.at.Set(h)
	}
	disp.Set(int(o.f.View().Displacement))
	rep.Set(o.datarep.name, MAX_DATAREP_STRING)
	return nil
}

// extentOf is the extent that a type has in the file.
func (o *openFile) extentOf(t *typeObject) (int64, error) {
	there, err := o.datarep.typeInFile(t)
	if err != nil {
		return 0, err
	}
	_, extent := there.Extent()
	return extent, nil
}
